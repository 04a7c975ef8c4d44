"""Functions of numbers and their comparisons; where LLVM's results are undefined, docs/compatibility.md has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .module import InvalidError, Node
from .op import joined, plain, pure
from .types import round_to


def unsigned(value: Any) -> Any:
    value = np.asarray(value)
    return value.view(f"u{value.dtype}") if value.dtype.kind == "i" else value


def _fit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function to give the result in the op's type: integers wrap, floats are rounded once."""

    def fitted(*values: Any) -> Any:
        *operands, node = values
        type = node.results[0][1]
        result = function(*operands)
        if type.element == "i1":
            return np.asarray(result, np.bool_)
        if not type.is_float and np.asarray(result).dtype.kind == "u":
            return np.asarray(result).astype(f"u{np.dtype(type.array)}").view(type.array)
        return round_to(type.element, result)

    return fitted


def divide(a: Any, b: Any) -> Any:
    """Returns the quotient, rounded toward zero; zero for a division by zero."""
    safe = np.where(b == 0, 1, b).astype(b.dtype)
    quotient = a // safe
    quotient = quotient + ((a - quotient * safe != 0) & ((a < 0) != (safe < 0)))
    return np.where(b == 0, 0, quotient).astype(a.dtype)


def remainder(a: Any, b: Any) -> Any:
    """Returns the remainder of a division; zero for a division by zero."""
    return np.where(b == 0, 0, a - divide(a, b) * b).astype(a.dtype)


def _high(a: Any, b: Any) -> Any:
    bits = a.dtype.itemsize * 8
    wide = unsigned(a).astype(object) * unsigned(b).astype(object)
    return np.asarray(wide >> bits, object).astype(unsigned(a).dtype).reshape(a.shape)


def _shift(function: Callable[..., Any], beyond: Callable[[Any], Any]) -> Callable[..., Any]:
    """Wraps a shift: one by the width or more shifts by all bits."""

    def shifted(a: Any, b: Any) -> Any:
        bits = a.dtype.itemsize * 8
        in_range = unsigned(b) < bits
        return np.where(in_range, function(a, np.where(in_range, b, 0).astype(a.dtype)), beyond(a)).astype(a.dtype)

    return shifted


def _with_nan(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a maximum or minimum. Its result for zeros of both signs is undefined."""

    def chosen(a: Any, b: Any) -> Any:
        if ((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))).any():
            raise InvalidError("zeros of both signs")
        # NumPy's fmax ignores signaling NaNs in some lanes only.
        return function(*(np.where(np.isnan(side), np.nan, side).astype(side.dtype) for side in (a, b)))

    return chosen


BITS: dict[str, Any] = {"arith.andi": np.bitwise_and, "arith.ori": np.bitwise_or, "arith.xori": np.bitwise_xor}
RING: dict[str, Any] = {"arith.addi": np.add, "arith.subi": np.subtract, "arith.muli": np.multiply}
ORDER: dict[str, Any] = {
    "arith.maxsi": np.maximum, "arith.minsi": np.minimum,
    "arith.maxui": lambda a, b: np.maximum(unsigned(a), unsigned(b)),
    "arith.minui": lambda a, b: np.minimum(unsigned(a), unsigned(b)),
}  # fmt: skip
DIVISIONS: dict[str, Any] = {
    "arith.divsi": divide, "arith.remsi": remainder,
    "arith.divui": lambda a, b: divide(unsigned(a), unsigned(b)),
    "arith.remui": lambda a, b: remainder(unsigned(a), unsigned(b)),
}  # fmt: skip
SHIFTS: dict[str, Any] = {
    "arith.shli": _shift(np.left_shift, np.zeros_like),
    "arith.shrsi": _shift(np.right_shift, lambda a: np.where(a < 0, -1, 0)),
    "arith.shrui": _shift(lambda a, b: np.right_shift(unsigned(a), unsigned(b)).view(a.dtype), np.zeros_like),
}
FLOAT_RING: dict[str, Any] = {"arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply}
FLOAT_ORDER: dict[str, Any] = {
    "arith.maximumf": _with_nan(np.maximum), "arith.minimumf": _with_nan(np.minimum),
    "arith.maxnumf": _with_nan(np.fmax), "arith.minnumf": _with_nan(np.fmin),
}  # fmt: skip

for _kind, _function in {**BITS, **RING, **ORDER, **DIVISIONS, **SHIFTS, **FLOAT_RING, **FLOAT_ORDER}.items():
    pure(_kind, plain, _fit(_function))
pure("tt.mulhiui", plain, _fit(_high))
pure("arith.divf", plain, _fit(np.divide))
pure("tt.precise_divf", plain, _fit(np.divide))
pure("tt.precise_sqrt", plain, _fit(np.sqrt))
pure("arith.negf", plain, _fit(np.negative))
pure("math.absf", plain, _fit(np.abs))
pure("math.absi", plain, _fit(np.abs))
pure("math.floor", plain, _fit(np.floor))
pure("math.ceil", plain, _fit(np.ceil))


def _wrap_bool(function: Any) -> Any:
    """i1 is a ring of its own: a sum is an exclusive or."""
    table = {np.add: np.logical_xor, np.subtract: np.logical_xor, np.multiply: np.logical_and}
    return lambda a, b: table[function](a, b) if a.dtype == np.bool_ else function(a, b)


for _kind, _function in RING.items():
    pure(_kind, plain, _fit(_wrap_bool(_function)))

CMPI: dict[str, Any] = {
    "eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater,
    "sge": np.greater_equal, "ult": lambda a, b: unsigned(a) < unsigned(b),
    "ule": lambda a, b: unsigned(a) <= unsigned(b), "ugt": lambda a, b: unsigned(a) > unsigned(b),
    "uge": lambda a, b: unsigned(a) >= unsigned(b),
}  # fmt: skip
_nan: Any = lambda a, b: np.isnan(a) | np.isnan(b)  # noqa: E731
CMPF: dict[str, Any] = {
    "oeq": lambda a, b: a == b, "ogt": lambda a, b: a > b, "oge": lambda a, b: a >= b, "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b, "one": lambda a, b: (a != b) & ~_nan(a, b), "ord": lambda a, b: ~_nan(a, b),
    "ueq": lambda a, b: (a == b) | _nan(a, b), "ugt": lambda a, b: ~(a <= b), "uge": lambda a, b: ~(a < b),
    "ult": lambda a, b: ~(a >= b), "ule": lambda a, b: ~(a > b), "une": lambda a, b: a != b, "uno": _nan,
}  # fmt: skip


def _compare(node: Node) -> str:
    return f"{node.kind} {node.attrs['predicate']}, {joined(node.operands)} : {node.types[0]}"


pure("arith.cmpi", _compare, lambda a, b, node: np.asarray(CMPI[node.attrs["predicate"]](a, b)))
pure("arith.cmpf", _compare, lambda a, b, node: np.asarray(CMPF[node.attrs["predicate"]](a, b)))


def _select(node: Node) -> str:
    condition, result = node.types[0], node.results[0][1]
    return f"arith.select {joined(node.operands)} : {f'{condition}, ' if condition.shape else ''}{result}"


pure("arith.select", _select, lambda c, a, b, node: np.where(c, a, b))
