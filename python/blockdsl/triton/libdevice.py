"""Definitions of libdevice functions that Triton's text calls by symbol.

The compiler lowers half of these symbols itself. The others are functions of our language, and their definitions are
added to the module, as by our own front end.
"""

from __future__ import annotations

import re
from typing import Any

from blockdsl.frontend import build_functions
from blockdsl.language.types import block_type

_EXTERN = re.compile(r'extern_elementwise [^{}]*\{[^{}]*symbol = "(\w+)"[^{}]*\} : \(([^)]*)\) ->')
_MODULE = re.compile(r"^module\b.*\{\n", re.MULTILINE)
_BLOCK = re.compile(r"tensor<((?:\d+x)*)")


def with_definitions(text: str) -> str:
    """Returns the text with definitions of the functions that it calls by symbol."""
    if "extern_elementwise" not in text:
        return text
    from blockdsl.language.extra.written import BY_SYMBOL, FUNCTIONS

    functions: list[tuple[str, Any, list[Any]]] = []
    for symbol, operands in dict.fromkeys(_EXTERN.findall(text)):
        known = BY_SYMBOL.get(symbol)
        if known is None:
            continue
        name, kinds = known
        block = _BLOCK.match(operands)
        shape = tuple(int(size) for size in block[1].split("x")[:-1]) if block else ()
        arguments = [block_type(kind, shape) if shape else kind for kind in kinds]
        functions.append((f"{symbol}.{len(functions)}", FUNCTIONS[name], arguments))
    if not functions:
        return text
    from blockdsl.mlir import ir

    lines = str(build_functions(functions, ir.Context())).strip().splitlines()
    return _MODULE.sub(lambda module: module[0] + "\n".join(lines[1:-1]) + "\n", text, count=1)
