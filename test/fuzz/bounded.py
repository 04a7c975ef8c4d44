"""A value with a bound of its error, and error bounds of the float formats.

The bound is 0 if every order and every correct function give the same bits, and infinity if nothing is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from blockdsl.language.tensor import tensor

Bound = Any
"""None, which is zero everywhere, or an array of float64."""


class AmbiguousError(Exception):
    """The control flow or an address depends on a value that is not exact."""


class Bounded(tensor):
    """A value that may be off by ``error``."""

    __slots__ = ("error",)

    def __init__(self, value: tensor, error: Bound) -> None:
        super().__init__(value.handle, value.type, value.known)
        self.error = error

    def _number(self, reason: str) -> Any:
        if self.error.any():
            raise AmbiguousError(reason)
        return super()._number(reason)


def error_of(value: Any) -> Bound:
    return value.error if isinstance(value, Bounded) else None


def flat(values: Any) -> list[Any]:
    """Returns the values of nested tuples and lists."""
    result = []
    for value in values:
        if isinstance(value, (tuple, list)):
            result += flat(value)
        else:
            result.append(value)
    return result


def exact(result: Any) -> Any:
    """Returns a result without its bounds."""
    if isinstance(result, tuple):
        return tuple(map(exact, result))
    return tensor(result.handle, result.type, result.known)


def with_error(result: Any, error: Any) -> Any:
    """Returns a result, or each of several, with its bound."""
    if isinstance(result, tuple):
        errors = error if isinstance(error, (tuple, list)) else [error] * len(result)
        results = map(with_error, result, errors)
        return type(result)(*results) if hasattr(result, "_fields") else tuple(results)
    if not isinstance(result, tensor):
        return result
    if error is None or not np.any(error):
        return exact(result) if isinstance(result, Bounded) else result
    error = np.broadcast_to(np.asarray(error, np.float64), result.shape).copy()
    return Bounded(result, _settled(result, error))


def _settled(result: tensor, error: Any) -> Any:
    """Returns bounds for values that are not finite: 0 for a certain NaN, infinity for a value that may overflow."""
    if not result.dtype.is_floating():
        return np.where(error > 0, np.inf, 0.0)
    values = wide(result)
    error = np.where(np.isnan(error), np.inf, error)
    may_overflow = (error > 0) & ~np.isnan(values) & (values + error >= largest(result.dtype))
    return np.where(may_overflow, np.inf, np.where(np.isnan(values) & np.isfinite(error), 0.0, error))


_LARGEST = {"fp16": 65504.0, "bf16": 3.38e38, "fp32": 3.4028e38, "fp64": 1.797e308, "fp8e5": 57344.0,
            "fp8e4nv": 448.0, "fp8e4b8": 240.0, "fp8e5b16": 57344.0}  # fmt: skip
_LEAST = {"fp16": -14, "bf16": -126, "fp32": -126, "fp64": -1022, "fp8e5": -14}


def largest(kind: Any) -> float:
    """Returns about the largest number."""
    return _LARGEST[kind.name]


def unit(kind: Any) -> float:
    """Returns half of the distance between a number and the next one."""
    return float(2.0 ** -(kind.fp_mantissa_width + 1))


def tiny(kind: Any) -> float:
    """Returns the smallest denormal number."""
    return float(2.0 ** max(_LEAST.get(kind.name, -7) - kind.fp_mantissa_width, -1074))


def wide(value: tensor) -> Any:
    """Magnitudes."""
    return np.abs(np.asarray(value.handle, np.float64))


def rounding(result: tensor, units: float = 1.0) -> Any:
    """Returns the error of rounding a result; none if it is certainly zero or not finite."""
    values = wide(result)
    return np.where(np.isfinite(values), units * (values * unit(result.dtype) + tiny(result.dtype)), 0.0)


def quantum(values: Any) -> Any:
    """Returns the largest power of two that divides every value; infinity if all are zero."""
    finite = values[np.isfinite(values) & (values != 0)]
    if not finite.size:
        return np.inf
    fraction, exponent = np.frexp(finite)
    digits = (np.abs(fraction) * 2.0**53).astype(np.int64)
    trailing = np.log2((digits & -digits).astype(np.float64))
    return float(2.0 ** np.min(exponent - 53 + trailing))
