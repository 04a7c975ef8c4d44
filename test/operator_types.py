"""Records the result type of every operator in Triton's own front end, by the types of its operands.

    python test/operator_types.py > test/python/language/data/operators-3.9.json

An operand is a block of some dtype or a Python number. Operators with equal result types share a table, with a row for
each left operand and a column for each right one, in the order of "operands". "-" is a refusal. No GPU is needed.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

DTYPES = (
    "int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "float8e5", "float8e4nv",
)  # fmt: skip
NUMBERS = ("True", "1", "-1", "200", "-200", "70000", "2**31", "2**32", "2**63", "1.5", "1e-40")
METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "&": "and", "|": "or",
    "^": "xor", "<<": "lshift", ">>": "rshift", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}

result_types: dict[str, dict[str, list[str]]] = {}


@tl.core.builtin
def probe(_semantic: Any = None) -> None:
    """Runs while Triton builds a kernel: applies every operator to every pair."""
    ones = _semantic.full([16], 1, tl.float32)
    operands: dict[str, Any] = {name: _semantic.cast(ones, getattr(tl, name)) for name in DTYPES}
    operands |= {number: tl.constexpr(eval(number)) for number in NUMBERS}
    for symbol, method in METHODS.items():
        result_types[symbol] = {
            left: [_result_type(method, a, b, _semantic) for b in operands.values()] for left, a in operands.items()
        }


def _result_type(method: str, a: Any, b: Any, semantic: Any) -> str:
    try:
        if isinstance(a, tl.tensor):
            return str(getattr(a, f"__{method}__")(b, _semantic=semantic).dtype)
        if isinstance(b, tl.tensor):
            reflected = _MIRRORED.get(method, f"r{method}")
            return str(getattr(b, f"__{reflected}__")(a, _semantic=semantic).dtype)
    except Exception:
        return "-"
    return ""  # two numbers are evaluated by Python


@triton.jit
def kernel():
    probe()


def tables() -> Iterator[dict[str, Any]]:
    """Operators with equal result types, and these types."""
    groups: dict[str, list[str]] = {}
    for symbol, rows in result_types.items():
        groups.setdefault(json.dumps(rows), []).append(symbol)
    for rows, symbols in groups.items():
        yield {"operators": symbols, "rows": {left: " ".join(row) for left, row in json.loads(rows).items()}}


if __name__ == "__main__":
    source = ASTSource(kernel, signature={})
    target = GPUTarget("cuda", 90, 32)
    warnings.simplefilter("ignore")  # of shifts by the width, of which there are hundreds
    triton.compile(source, target=target)
    print(f"Triton {triton.__version__}", file=sys.stderr)
    print(json.dumps({"operands": [*DTYPES, *NUMBERS], "tables": list(tables())}, indent=1))
