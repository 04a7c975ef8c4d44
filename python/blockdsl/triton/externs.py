"""Functions of libdevice that Triton's text names by symbol, and the language says in its own words.

The compiler knows half of them by symbol; the code of the others is brought along with the text, as functions of the
module. Which function a symbol is, and for which types, Triton's own definitions say.
"""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Mapping
from typing import Any

from blockdsl.frontend import build_functions
from blockdsl.language.extra.written import FUNCTIONS
from blockdsl.language.types import block_type, parse

_EXTERN = re.compile(r'extern_elementwise [^{}]*\{[^{}]*symbol = "(\w+)"[^{}]*\} : \(([^)]*)\) ->')
_MODULE = re.compile(r"^module\b.*\{\n", re.MULTILINE)
_BLOCK = re.compile(r"tensor<((?:\d+x)*)")


class _Core:
    """Stands for ``triton.language.core``, and gives what a definition hands to it."""

    def __init__(self, core: Any) -> None:
        self._core = core

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    @staticmethod
    def extern_elementwise(library: str, path: str, args: Any, symbols: Any, **_: Any) -> Any:
        raise _Found(symbols)


class _Found(Exception):  # noqa: N818 - not an error: an answer
    """The table of a definition."""


@functools.cache
def symbols() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """For each symbol that is written in the language its function, and the types of its arguments."""
    from triton.language import core
    from triton.language.extra.cuda import libdevice

    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name in FUNCTIONS:
        definition = getattr(getattr(libdevice, name, None), "__wrapped__", None)
        if definition is None:
            continue
        code = definition.__code__
        replayed = types.FunctionType(
            code, {**definition.__globals__, "core": _Core(core)}, name, definition.__defaults__
        )
        try:
            replayed(*[None] * (code.co_argcount - len(definition.__defaults__ or ())))
        except _Found as answer:
            for kinds, (symbol, _) in answer.args[0].items():
                found.setdefault(symbol, (name, tuple(str(kind) for kind in kinds)))
    return found


def with_definitions(text: str) -> str:
    """The text, with the functions that it calls by symbol."""
    if "extern_elementwise" not in text:
        return text
    wanted: list[tuple[str, Any, list[Any]]] = []
    for symbol, operands in dict.fromkeys(_EXTERN.findall(text)):
        known = symbols().get(symbol)
        if known is None:
            continue
        name, kinds = known
        block = _BLOCK.match(operands)
        shape = tuple(int(size) for size in block[1].split("x")[:-1]) if block else ()
        arguments = [block_type(parse(kind), shape) if shape else parse(kind) for kind in kinds]
        wanted.append((f"{symbol}.{len(wanted)}", FUNCTIONS[name], arguments))
    if not wanted:
        return text
    from blockdsl.mlir import ir

    lines = str(build_functions(wanted, ir.Context())).strip().splitlines()
    return _MODULE.sub(lambda module: module[0] + "\n".join(lines[1:-1]) + "\n", text, count=1)
