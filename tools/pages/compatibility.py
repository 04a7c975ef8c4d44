"""docs/compatibility.md: every name of Triton's, where it was seen to work, and what differs.

The tables are made of Triton's own lists of names, of ours, and of verified.json, which holds what the tests used; the
rest stands in differences.md. A name's row leads to the sections there that mention it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import triton
import triton.language

import blockdsl
import blockdsl.language as tl
import recording
from blockdsl.language.extra import libdevice
from blockdsl.language.op import METHODS, LibraryFunction, Op
from pages import unsupported

_HERE = Path(__file__).parent
VERIFIED = _HERE / "verified.json"

_HEAD = """# Differences from Triton

The language is Triton 3.9's `tl`, as far as it is there. What is known to differ, and why, stands here;
`make conformance` compares with Triton's printed text and with its tables of result types, and names what it finds
beyond this page.
"""

_TABLE = """
## Names

Of each function the element types that tests of the language gave it, and passed: compiled for the CPU, interpreted,
and compiled in those tests that run on a GPU, too, with `pytest --device cuda`. What is not listed is not refused;
nobody has looked. {mark} is a use without a type. `make test` fails where what is listed is not used.

| name | compiled | interpreted | on a GPU | differs |
|---|---|---|---|---|
"""
_NO_TYPE = "✓"

_DEVICE = """
The same of `libdevice`, which is `tl.extra.libdevice` and `tl.extra.cuda.libdevice`:

| name | compiled | interpreted | on a GPU |
|---|---|---|---|
"""

# What a row calls the types, in its order.
_KINDS = {
    "i": ("int8", "int16", "int32", "int64"),
    "u": ("uint8", "uint16", "uint32", "uint64"),
    "f": ("fp16", "bf16", "fp32", "fp64"),
    "f8": ("fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"),
}
_SHORT = {"int1": "i1", "": _NO_TYPE}


def _short(type: str) -> str:  # noqa: A002 - what it is
    return _SHORT.get(type) or re.sub(r"^(u?)int", lambda found: found[1] or "i", type)


def types(seen: Iterable[str]) -> str:
    """Element types in few words: ``i8-i64`` are all of its kind."""
    left = {*seen}
    words = [_short(each) for each in ("", "int1") if each in left]
    for kind, members in _KINDS.items():
        whole = {"i": "i8-i64", "u": "u8-u64", "f": "fp16 bf16 fp32 fp64", "f8": "8-bit floats"}[kind]
        found = [each for each in members if each in left]
        words += [whole] if len(found) == len(members) else [_short(each) for each in found]
    known = {"", "int1", *(each for members in _KINDS.values() for each in members)}
    words += sorted(_short(each) for each in left - known)
    if len(words) > 1 and _NO_TYPE in words:
        words.remove(_NO_TYPE)
    return " ".join(words) or "-"


def _shown() -> dict[str, Any]:
    """The functions and the methods of the language."""
    functions = {name: value for name, value in vars(tl).items() if isinstance(value, (Op, LibraryFunction))}
    return {name: value for name, value in {**METHODS, **functions}.items() if not name.startswith("_")}


def _device() -> dict[str, Any]:
    """libdevice's functions, called ``libdevice.exp`` and so on."""
    return {f"libdevice.{name}": getattr(libdevice, name) for name in dir(libdevice)}


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def mentions(text: str, names: Iterable[str]) -> dict[str, list[str]]:
    """For each name the titles of the sections whose text has it between backticks."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for title, section in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE):
        said = {word for code in re.findall(r"`([^`]*)`", section) for word in re.findall(r"\w+", code)}
        for name, titles in found.items():
            if name in said:
                titles.append(title)
    return found


def _missing(names: Iterable[str], module: Any) -> str:
    left = sorted(name for name in names if not hasattr(module, name))
    return ", ".join(f"`{name}`" for name in left) or "nothing"


def page() -> str:
    """The page's text."""
    differences = (_HERE / "differences.md").read_text(encoding="utf-8").partition("-->\n")[2]
    verified: recording.Names = json.loads(VERIFIED.read_text(encoding="utf-8"))
    theirs = set(triton.language.__all__)
    functions = _shown()
    titles = mentions(differences, functions)
    text = _HEAD + _not_there() + _TABLE.format(mark=_NO_TYPE)
    for name in sorted(functions, key=str.lower):
        shown = f"`{name}`" if name in theirs and hasattr(tl, name) else f"`{name}` (a method)"
        shown = shown if name in theirs or not hasattr(tl, name) else f"`{name}` (not in 3.9's list)"
        row = [types(verified[way].get(name, ())) for way in recording.WAYS]
        links = ", ".join(f"[{title}](#{_anchor(title)})" for title in titles[name])
        text += f"| {shown} | {' | '.join(row)} | {links} |\n"
    others = sorted(name for name in theirs if name not in functions and hasattr(tl, name))
    text += _DEVICE
    for name in sorted(_device()):
        row = [types(verified[way].get(name, ())) for way in recording.WAYS]
        text += f"| `{name.removeprefix('libdevice.')}` | {' | '.join(row)} |\n"
    text += f"\nTypes, values and classes beside these: {', '.join(f'`{name}`' for name in others)}.\n"
    around, title, rest = differences.partition("## The module the front end builds")
    return text + around + unsupported.section() + title + rest


def _not_there() -> str:
    return f"""
## Not there yet

Of `triton.language`: {_missing(triton.language.__all__, tl)}. Of `triton`: {_missing(triton.__all__, blockdsl)}.
"""


def take_over(seen: recording.Names) -> None:
    """Writes verified.json anew: what is in the table, a name a line."""
    ways = []
    for way, names in seen.items():
        kept = {name: types for name, types in names.items() if name in {**_shown(), **_device()}}
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(types)}" for name, types in kept.items())
        ways.append(f" {json.dumps(way)}: {{\n{lines}\n }}")
    VERIFIED.write_text("{\n" + ",\n".join(ways) + "\n}\n", encoding="utf-8")


def unseen(seen: Mapping[str, Mapping[str, list[str]]]) -> list[str]:
    """What verified.json says and the tests have not used, a line for each name."""
    claimed: recording.Names = json.loads(VERIFIED.read_text(encoding="utf-8"))
    # A kernel is compiled once, in the first of a process's tests that launch it; whether that one runs on a GPU, too,
    # depends on their order.
    compiled, on_gpu = seen.get("compiled", {}), seen.get("gpu", {})
    seen = {**seen, "gpu": {name: compiled.get(name, []) for name in on_gpu}}
    return [
        f"{name}, {way}: {', '.join(sorted(missing))}"
        for way, names in claimed.items()
        for name, types in names.items()
        if (missing := {*types} - {*seen.get(way, {}).get(name, ())})
    ]
