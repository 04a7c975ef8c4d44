"""docs/reference: the language, one page a family, as the docstrings say it. A family is a module of the language."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import blockdsl.language as tl
from blockdsl.language.op import LIBRARY, METHODS, OPS, LibraryFunction, Op
from pages import examples

_ROOM = "blockdsl.language."
SHARED = "extra.libdevice"
"""A family of many functions, each of a line or two."""
# What others are made of, and nobody calls by name.
_INNER = ("reduce_with_indices", "splat", "stretch")


@dataclass(frozen=True)
class Entry:
    """One name of the language."""

    name: str
    family: str
    signature: str
    text: str

    @property
    def example(self) -> str:
        """The lines of the example; empty where there is none."""
        found = re.search(r"^Example:\n((?:[ ]+.*(?:\n|\Z)|\n)+)", self.text, re.MULTILINE)
        return textwrap.dedent(found[1]).strip() if found else ""


def _family(value: Any) -> str:
    family = str(getattr(value, "fn", value).__module__).removeprefix(_ROOM)
    # Which of them is a symbol, and which is written in the language, is nobody's concern.
    return SHARED if family.startswith("extra.") else family


def _signature(value: Any) -> str:
    if isinstance(value, Op):
        return value.public
    try:
        found = inspect.signature(getattr(value, "fn", value))
    except (TypeError, ValueError):
        return ""
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    return str(inspect.Signature(plain))


def _text(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def entries() -> list[Entry]:
    """Every documented name of the language, by family and name."""
    found: dict[tuple[str, str], Entry] = {}
    named = {name: value for name, value in {**OPS, **LIBRARY}.items() if name[0] != "_" and name not in _INNER}
    public = {name: value for name, value in vars(tl).items() if not name.startswith("_") and callable(value)}
    for name, value in {**public, **named}.items():
        family = _family(value)
        if not str(getattr(value, "fn", value).__module__).startswith(_ROOM) or not _text(value):
            continue
        if isinstance(value, type) and issubclass(value, BaseException):
            continue
        # Another name for what has one already.
        own = getattr(value, "name", None) if isinstance(value, (Op, LibraryFunction)) else None
        shown = own or name
        found[family, shown] = Entry(shown, family, _signature(value), _text(value))
    return [found[key] for key in sorted(found)]


def _markdown(text: str) -> Iterator[str]:
    """A docstring's text: its sections become lists, its example code."""
    body, _, _ = text.partition("\nExample:\n")
    for block in re.split(r"\n(?=(?:Args|Returns|Raises|Attributes):\n)", body):
        head, _, rest = block.partition(":\n")
        if head not in ("Args", "Returns", "Raises", "Attributes"):
            yield block.replace("``", "`").strip()
            continue
        yield {"Args": "Arguments"}.get(head, head) + ":"
        items = textwrap.dedent(rest).strip()
        if head == "Returns":
            yield items.replace("``", "`")
            continue
        lines = []
        for item in re.split(r"\n(?=\S)", items):
            name, colon, said = item.partition(":")
            said = " ".join(said.split()).replace("``", "`")
            lines.append(f"- `{name.strip()}`: {said}" if colon else f"- {name}")
        yield "\n".join(lines)


def _shown(entry: Entry) -> str:
    name = f"tl.{entry.name}" if hasattr(tl, entry.name) else entry.name
    note = " It is a method of a block, too." if entry.name in METHODS and hasattr(tl, entry.name) else ""
    parts = [f"## {entry.name}", f"```python\n{name}{entry.signature}\n```", *_markdown(entry.text)]
    parts[2] += note
    if entry.example:
        parts.append(f"```python\n{entry.example}\n```")
    return "\n\n".join(parts)


def _rows(members: list[Entry]) -> Iterator[str]:
    """Functions that differ in little but what they compute, in a table."""
    yield "| | takes | |\n|---|---|---|"
    for entry in members:
        types = re.search(r"of types (.*?)\.\n", entry.text)
        said = " ".join(entry.text.partition("\n\n")[0].split()).replace("``", "`")
        taken = types[1].replace("(", "").replace(")", "") if types else ""
        yield f"| `{entry.example.partition('= ')[2]}` | {taken} | {said} |"


def _title(family: str) -> tuple[str, str]:
    text = inspect.cleandoc(importlib.import_module(_ROOM + family).__doc__ or family)
    return family, text.replace("``", "`")


def pages() -> dict[str, str]:
    """The pages' names and texts."""
    every = entries()
    families: dict[str, list[Entry]] = {}
    for entry in every:
        families.setdefault(entry.family, []).append(entry)
    made: dict[str, str] = {}
    index = []
    for family, members in families.items():
        title, lead = _title(family)
        file = f"{family.replace('.', '_')}.md"
        if family == SHARED:
            made[file] = "\n\n".join([f"# {title}", lead, "\n".join(_rows(members))]) + "\n"
            index.append(f"| [{title}]({file}) | {len(members)} functions |")
            continue
        made[file] = "\n\n".join([f"# {title}", lead, *map(_shown, members)]) + "\n"
        names = ", ".join(f"[{entry.name}]({file}#{entry.name.lower().replace('.', '')})" for entry in members)
        index.append(f"| [{title}]({file}) | {names} |")
    given = "\n".join(f"    {line}" for line in examples.COMMON.values())
    made["README.md"] = (
        "# The language\n\n`tl` is `blockdsl.language`. What the docstrings say, one page a family; every example is "
        "run by the tests,\ncompiled and interpreted. Names that an example does not define are these, or what "
        "`tools/pages/examples.py` has\nfor it:\n\n" + given + "\n\n| | |\n|---|---|\n" + "\n".join(index) + "\n"
    )
    return made
