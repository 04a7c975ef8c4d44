"""docs/compatibility.md, differences from Triton, and docs/compatibility_types.md, the tested types of each function.

The tables are generated from Triton's lists of names, ours, and verified.json, which has the types that tests used. The
other text is in differences.md; a name's row links to the sections there that mention it.
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

_HEAD = """# Compatibility with Triton

blockdsl implements the language of Triton 3.9, `tl`: a kernel that Triton compiles should compile here, and give the
same result. The differences that a user is most likely to notice:

- On a CPU, operations that Triton leaves undefined [are defined](#defined-results-of-undefined-operations): division by
  zero, shifts by too much, masked loads without `other`.
- A CPU [refuses a launch](when_wrong.md#launches-that-are-refused) that certainly accesses memory outside of an
  argument.
- `num_warps`, `num_stages` and other options of GPUs [are accepted and have no effect](#launching) on a CPU.
- Inline assembly on a CPU [computes, converts and moves bits](#around-the-language), and does not access memory.
- Launches on a CPU [run to their end](#launching) before they return, and failed assertions are exceptions there.
- More programs are accepted, such as loops over tuples and comprehensions;
  [a few are refused](#programs-that-only-one-accepts).

[Types by function](compatibility_types.md) says with which element types each function was tested. `make conformance`
compares with Triton's printed text and with its tables of result types.

"""

_TABLE = """# Types by function

For each function of the language, the element types with which the tests call it: compiled for the CPU, interpreted,
and on a GPU (`pytest --device cuda`). Other types are not refused, but not tested either. {mark} is a use without a
type. `make test` fails if the tests no longer use a type of this page. The last column links to differences.

| name | compiled | interpreted | on a GPU | differs |
|---|---|---|---|---|
"""
_NO_TYPE = "✓"

_DEVICE = """
The same of `libdevice`, which is `tl.extra.libdevice` and `tl.extra.cuda.libdevice`:

| name | compiled | interpreted | on a GPU |
|---|---|---|---|
"""

# The names of types in a row, in their order.
_KINDS = {
    "i": ("int8", "int16", "int32", "int64"),
    "u": ("uint8", "uint16", "uint32", "uint64"),
    "f": ("fp16", "bf16", "fp32", "fp64"),
    "f8": ("fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"),
}
_SHORT = {"int1": "i1", "": _NO_TYPE}


def _short(type: str) -> str:  # noqa: A002 - what it is
    return _SHORT.get(type) or re.sub(r"^(u?)int", lambda found: found[1] or "i", type)


def types(used: Iterable[str]) -> str:
    """Returns an abbreviated list of element types: ``i8-i64`` are all signed integers."""
    left = {*used}
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
    """Returns the functions and the methods of the language."""
    functions = {name: value for name, value in vars(tl).items() if isinstance(value, (Op, LibraryFunction))}
    return {name: value for name, value in {**METHODS, **functions}.items() if not name.startswith("_")}


def _device() -> dict[str, Any]:
    """Returns libdevice's functions, with names such as ``libdevice.exp``."""
    return {f"libdevice.{name}": getattr(libdevice, name) for name in dir(libdevice)}


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def mentions(text: str, names: Iterable[str]) -> dict[str, list[str]]:
    """Returns for each name the titles of the sections that contain it between backticks."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for title, section in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE):
        mentioned = {word for code in re.findall(r"`([^`]*)`", section) for word in re.findall(r"\w+", code)}
        for name, titles in found.items():
            if name in mentioned:
                titles.append(title)
    return found


def _missing(names: Iterable[str], module: Any) -> str:
    left = sorted(name for name in names if not hasattr(module, name))
    return ", ".join(f"`{name}`" for name in left) or "nothing"


def _differences() -> str:
    return (_HERE / "differences.md").read_text(encoding="utf-8").partition("-->\n")[2].lstrip()


def pages() -> dict[str, str]:
    """Returns the pages' names and texts."""
    return {"compatibility.md": _page(), "compatibility_types.md": _types_page()}


def _page() -> str:
    around, title, rest = _differences().partition("## The module the front end builds")
    return _HEAD + _missing_names() + around + unsupported.section() + title + rest


def _types_page() -> str:
    verified: recording.Names = json.loads(VERIFIED.read_text(encoding="utf-8"))
    triton_names = set(triton.language.__all__)
    functions = _shown()
    titles = mentions(_differences(), functions)
    text = _TABLE.format(mark=_NO_TYPE)
    for name in sorted(functions, key=str.lower):
        label = f"`{name}`" if name in triton_names and hasattr(tl, name) else f"`{name}` (a method)"
        label = label if name in triton_names or not hasattr(tl, name) else f"`{name}` (not in 3.9's list)"
        row = [types(verified[mode].get(name, ())) for mode in recording.MODES]
        links = ", ".join(f"[{title}](compatibility.md#{_anchor(title)})" for title in titles[name])
        text += f"| {label} | {' | '.join(row)} | {links} |\n"
    other_names = sorted(name for name in triton_names if name not in functions and hasattr(tl, name))
    text += _DEVICE
    for name in sorted(_device()):
        row = [types(verified[mode].get(name, ())) for mode in recording.MODES]
        text += f"| `{name.removeprefix('libdevice.')}` | {' | '.join(row)} |\n"
    return text + f"\nTypes, values and classes beside these: {', '.join(f'`{name}`' for name in other_names)}.\n"


def _missing_names() -> str:
    language, package = _missing(triton.language.__all__, tl), _missing(triton.__all__, blockdsl)
    return f"""Names of `triton.language` that are missing: {language}. Names of `triton` that are missing: {package}.
[Unsupported names](#unsupported-names) lists those of its other modules.

"""


def take_over(recorded: recording.Names) -> None:
    """Rewrites verified.json: the names in the table, one per line."""
    modes = []
    for mode, names in recorded.items():
        known = {name: types for name, types in names.items() if name in {**_shown(), **_device()}}
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(types)}" for name, types in known.items())
        modes.append(f" {json.dumps(mode)}: {{\n{lines}\n }}")
    VERIFIED.write_text("{\n" + ",\n".join(modes) + "\n}\n", encoding="utf-8")


def unseen(recorded: Mapping[str, Mapping[str, list[str]]]) -> list[str]:
    """Returns the types in verified.json that the tests have not used, a line for each name."""
    claimed: recording.Names = json.loads(VERIFIED.read_text(encoding="utf-8"))
    # A kernel is compiled once, in the first of a process's tests that launch it; whether that one runs on a GPU, too,
    # depends on their order.
    compiled, on_gpu = recorded.get("compiled", {}), recorded.get("gpu", {})
    recorded = {**recorded, "gpu": {name: compiled.get(name, []) for name in on_gpu}}
    return [
        f"{name}, {mode}: {', '.join(sorted(missing))}"
        for mode, names in claimed.items()
        for name, types in names.items()
        if (missing := {*types} - {*recorded.get(mode, {}).get(name, ())})
    ]
