"""Types of Python numbers in a kernel: literals, and scalar numbers, which have a type of their own.

A literal takes the type of the other operand: ``x * 2.5`` has x's type. Assignment to a name makes a scalar number with
the number's own type, as in Triton: after ``a = 2.5`` the product ``x * a`` is float32 for an x of float16. It is still
a compile-time value: it can be an argument of ``tl.arange``, and the condition of a compile-time ``if``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import TypeMismatchError
from .types import Type, dtype, float32, float64, int1, int32, int64, uint32, uint64


class ScalarNumber:
    """The base of scalar numbers.

    In Python they behave like plain numbers. folding.py implements the arithmetic of kernels.
    """

    type: dtype


class ScalarInt(int, ScalarNumber):
    """An integer with a type of its own."""

    def __new__(cls, value: int, type: dtype) -> ScalarInt:
        made = super().__new__(cls, value)
        made.type = type
        return made


class ScalarBool(int, ScalarNumber):
    """A bool with a type of its own. It derives from int, because Python's bool cannot be subclassed."""

    type = int1

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(bool(self), spec)


class ScalarFloat(float, ScalarNumber):
    """A float with a type of its own, rounded to it."""

    def __new__(cls, value: float, type: dtype) -> ScalarFloat:
        made = super().__new__(cls, np.float32(value) if type == float32 else value)
        made.type = type
        return made


def scalar(value: int | float | bool, type: dtype) -> Any:
    """Returns a scalar number of a type."""
    if type == int1:
        return ScalarBool(value)
    return ScalarFloat(value, type) if type.is_floating() else ScalarInt(int(value), type)


def held(value: Any) -> Any:
    """Returns a value for assignment to a name: Python's numbers become scalar numbers, also in tuples and lists."""
    if type(value) in (bool, int, float):
        return scalar(value, literal_type(value))
    if type(value) in (tuple, list):
        return type(value)(map(held, value))
    return value


def plain(value: Any) -> Any:
    """Returns a scalar number as a literal, which takes the other operand's type; anything else unchanged."""
    if isinstance(value, ScalarBool):
        return bool(value)
    if isinstance(value, ScalarNumber):
        return int(value) if isinstance(value, int) else float(value)  # type: ignore[arg-type]
    return value


def is_literal(value: Any) -> bool:
    """Returns whether a value is a Python number without a type of its own."""
    return isinstance(value, (bool, int, float)) and not isinstance(value, ScalarNumber)


def literal_type(value: int | float | bool) -> dtype:
    """Returns the type of a Python number without another operand: int32 if it fits, float32 if it is in range.

    Raises TypeMismatchError for integers of more than 64 bits and for values that are no numbers.
    """
    if isinstance(value, ScalarNumber):
        return value.type
    if isinstance(value, bool):
        return int1
    if isinstance(value, int):
        for candidate in (int32, uint32, int64, uint64):
            if candidate.get_int_min_value() <= value <= candidate.get_int_max_value():
                return candidate
        raise TypeMismatchError(f"an integer literal fits 64 bits at most, got {value}")
    if isinstance(value, float):
        magnitude = abs(value)
        ordinary = magnitude in (0.0, float("inf")) or value != value or 2**-126 <= magnitude <= (2 - 2**-23) * 2.0**127
        return float32 if ordinary else float64
    raise TypeMismatchError(
        f"a number or a block is expected, got {value!r} of type {type(value).__name__}",
        hint=_number_instead(value),
    )


def _number_instead(value: object) -> str | None:
    """Returns the hint for an object that is neither a number nor a block."""
    if isinstance(value, Type):
        return None
    if isinstance(value, tuple):
        return "take an element, as in x.shape[0]"
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    if callable(value) and isinstance(name, str):
        return f"call the function: {name}(...)"
    return "strings, lists and objects stay on the host"
