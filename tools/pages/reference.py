"""Pages of the language's reference for Sphinx's autodoc, one per family. A family is a module of the language."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import blockdsl.language as tl
from blockdsl.language.op import LIBRARY, METHODS, OPS, LibraryFunction, Op
from pages import examples

_ROOM = "blockdsl.language."
SHARED = "extra.libdevice"
"""A family of many functions, each of a line or two."""
# Building blocks of other functions, which kernels do not call.
_INNER = ("reduce_with_indices", "splat", "stretch")


_INDEX = """# The language

`tl` is `blockdsl.language`. One page a family; every example is run by the tests, compiled and interpreted.

| family | names |
|---|---|
{rows}

## Names in examples

Names that an example does not define are these, or what `tools/pages/examples.py` has for it:

{given}

```{{toctree}}
:hidden:
:glob:

*
```
"""


@dataclass(frozen=True)
class Entry:
    """One name of the language."""

    name: str
    family: str
    text: str
    path: str
    is_class: bool

    @property
    def example(self) -> str:
        """The lines of the example; empty where there is none."""
        found = re.search(r"^Example:\n((?:[ ]+.*(?:\n|\Z)|\n)+)", self.text, re.MULTILINE)
        return textwrap.dedent(found[1]).strip() if found else ""


def _family(value: Any) -> str:
    family = str(getattr(value, "fn", value).__module__).removeprefix(_ROOM)
    # All of libdevice is one family, independent of the implementation.
    return SHARED if family.startswith("extra.") else family


def _path(name: str, family: str, value: Any) -> str:
    """Returns the dotted name by which autodoc imports an entry, through `tl` where that has it."""
    if hasattr(tl, name):
        return f"{_ROOM}{name}"
    if family == SHARED:
        return f"{_ROOM}{family}.{name.partition('.')[2]}"
    module = importlib.import_module(_ROOM + family)
    return next(f"{_ROOM}{family}.{own}" for own, each in vars(module).items() if each is value)


def text(value: Any) -> str:
    """Returns a docstring without its indentation."""
    return inspect.cleandoc(value.__doc__ or "")


def entries() -> list[Entry]:
    """Every documented name of the language, by family and name."""
    found: dict[tuple[str, str], Entry] = {}
    named = {name: value for name, value in {**OPS, **LIBRARY}.items() if name[0] != "_" and name not in _INNER}
    public = {name: value for name, value in vars(tl).items() if not name.startswith("_") and callable(value)}
    for name, value in {**public, **named}.items():
        family = _family(value)
        if not str(getattr(value, "fn", value).__module__).startswith(_ROOM) or not text(value):
            continue
        if isinstance(value, type) and issubclass(value, BaseException):
            continue
        # An alias of an entry.
        own = getattr(value, "name", None) if isinstance(value, (Op, LibraryFunction)) else None
        shown = own or name
        path = _path(shown, family, value)
        found[family, shown] = Entry(shown, family, text(value), path, isinstance(value, type))
    return [found[key] for key in sorted(found)]


def docstring(value: Any, lines: list[str]) -> list[str]:
    """Returns a docstring in the form that Sphinx expects: the example is marked as code."""
    text = "\n".join(lines)
    text = re.sub(
        r"^Example:\n((?:[ ]+.*(?:\n|\Z)|\n)+)",
        lambda found: f"Example:\n    .. code-block:: python\n\n{textwrap.indent(found[1], '    ')}\n",
        text,
        flags=re.MULTILINE,
    )
    name = getattr(value, "name", None)
    if isinstance(value, (Op, LibraryFunction)) and name in METHODS and hasattr(tl, str(name)):
        lead, _, rest = text.partition("\n\n")
        text = f"{lead}\n\nIt is a method of a block, too.\n\n{rest}"
    return text.split("\n")


def _rows(members: list[Entry]) -> Iterator[str]:
    """Yields the lines of a table of similar functions."""
    yield "| | takes | |\n|---|---|---|"
    for entry in members:
        types = re.search(r"of types (.*?)\.\n", entry.text)
        said = " ".join(entry.text.partition("\n\n")[0].split()).replace("``", "`")
        taken = types[1].replace("(", "").replace(")", "") if types else ""
        yield f"| `{entry.example.partition('= ')[2]}` | {taken} | {said} |"


def _directives(members: Iterable[Entry]) -> Iterator[str]:
    """Yields the autodoc directives of the entries."""
    yield "```{eval-rst}"
    for entry in members:
        yield f".. {'autoclass' if entry.is_class else 'autofunction'}:: {entry.path}"
        if entry.is_class:
            yield "   :members:"
    yield "```"


def _lead(family: str) -> str:
    return inspect.cleandoc(importlib.import_module(_ROOM + family).__doc__ or "").replace("``", "`")


def pages() -> dict[str, str]:
    """Returns the pages' names and texts."""
    families: dict[str, list[Entry]] = {}
    for entry in entries():
        families.setdefault(entry.family, []).append(entry)
    made: dict[str, str] = {}
    index = []
    for family, members in families.items():
        file = f"{family.replace('.', '_')}.md"
        body = _rows(members) if family == SHARED else _directives(members)
        made[file] = f"# {family}\n\n{_lead(family)}\n\n" + "\n".join(body) + "\n"
        names = ", ".join(f"{{py:obj}}`{entry.name} <{entry.path}>`" for entry in members)
        index.append(f"| [{family}]({file}) | {f'{len(members)} functions' if family == SHARED else names} |")
    given = "\n".join(f"    {line}" for line in examples.COMMON.values())
    made["index.md"] = _INDEX.format(rows="\n".join(index), given=given)
    return made
