"""Conversions of numbers and addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arithmetic import unsigned
from .module import InvalidError, Node
from .op import cast, joined, pure
from .types import bytes_of, from_memory, round_to, to_float8, to_memory


def _to_integer(value: Any, node: Node) -> Any:
    """Rounds toward zero; numbers out of range become the largest ones, and NaN becomes zero."""
    type, wide = node.results[0][1], np.asarray(value, np.float64)
    signed = node.kind == "arith.fptosi"
    low, high = (-(2 ** (type.bits - 1)), 2 ** (type.bits - 1) - 1) if signed else (0, 2**type.bits - 1)

    def to_int(x: float) -> int:
        return 0 if x != x else low if x <= low else high if x >= high else int(x)

    exact = np.array([to_int(x) & (2**type.bits - 1) for x in wide.reshape(-1).tolist()], np.uint64).reshape(wide.shape)
    return exact.astype(f"u{np.dtype(type.array)}").view(type.array)


def _bits(value: Any, node: Node) -> Any:
    if (node.types[0].is_float or node.types[0].is_float8) and np.isnan(value).any():
        raise InvalidError("a NaN has many forms")
    rows = to_memory(node.types[0].element, value)
    return from_memory(node.results[0][1].element, rows).reshape(np.shape(value))


pure("arith.extsi", cast("to"), lambda a, node: (-a.astype(np.int8) if a.dtype == np.bool_ else a).astype(
    node.results[0][1].array))  # fmt: skip
pure("arith.extui", cast("to"), lambda a, node: unsigned(a).astype(node.results[0][1].array))
pure("arith.trunci", cast("to"), lambda a, node: (
    (a & 1 if node.results[0][1].element == "i1" else a).astype(node.results[0][1].array)))  # fmt: skip
pure("arith.sitofp", cast("to"), lambda a, node: round_to(
    node.results[0][1].element, -a.astype(np.int8) if a.dtype == np.bool_ else a))  # fmt: skip
pure("arith.uitofp", cast("to"), lambda a, node: round_to(node.results[0][1].element, unsigned(a)))
pure("arith.fptosi", cast("to"), _to_integer)
pure("arith.fptoui", cast("to"), _to_integer)
pure("arith.extf", cast("to"), lambda a, node: round_to(node.results[0][1].element, a))
pure("arith.truncf", cast("to"), lambda a, node: round_to(node.results[0][1].element, a))


def _small_float(value: Any, node: Node) -> Any:
    element = node.results[0][1].element
    if node.attrs.get("rounding") == "rtz":
        return to_float8(element, value, to_zero=True)
    return round_to(element, value)


def _small_float_text(node: Node) -> str:
    rounding = f", rounding = {node.attrs['rounding']}" if "rounding" in node.attrs else ""
    return f"tt.fp_to_fp {node.operands[0]}{rounding} : {node.types[0]} -> {node.results[0][1]}"


pure("tt.fp_to_fp", _small_float_text, _small_float)
pure("arith.bitcast", cast("to"), _bits)
pure("tt.bitcast", cast("->"), lambda a, node: a if node.types[0].is_pointer else _bits(a, node))
# An address is a number, the same one in any memory; numbers computed from it have to be addresses again.
pure("tt.ptr_to_int", cast("->"), lambda a, node: a)
pure("tt.int_to_ptr", cast("->"), lambda a, node: a)
pure("tt.addptr", lambda node: f"tt.addptr {joined(node.operands)} : {node.types[0]}, {node.types[1]}",
     lambda p, i, node: p + i.astype(np.int64) * bytes_of(node.types[0].element[1:]))  # fmt: skip
