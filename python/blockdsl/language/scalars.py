"""Python numbers in a kernel: which type each has, and those that names hold, which keep theirs.

A number that is written where it is used follows the block beside it: ``x * 2.5`` is of x's type. A name that is given
a number holds a scalar of the number's own type, as in Triton: after ``a = 2.5`` the product ``x * a`` is float32 for
an x of float16. It stays known while the kernel is compiled: ``tl.arange(0, a)`` takes it, and it decides an ``if``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import TypeMismatchError
from .types import Type, dtype, float32, float64, int1, int32, int64, uint32, uint64


class ScalarNumber:
    """What the classes of such numbers have in common.

    To Python they are its own numbers, with its own arithmetic. What a kernel computes of them is in folding.py.
    """

    type: dtype


class ScalarInt(int, ScalarNumber):
    """An integer that a name holds."""

    def __new__(cls, value: int, type: dtype) -> ScalarInt:
        made = super().__new__(cls, value)
        made.type = type
        return made


class ScalarBool(int, ScalarNumber):
    """A bool that a name holds. Python's own has no subclasses."""

    type = int1

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(bool(self), spec)


class ScalarFloat(float, ScalarNumber):
    """A float that a name holds, rounded to its type."""

    def __new__(cls, value: float, type: dtype) -> ScalarFloat:
        made = super().__new__(cls, np.float32(value) if type == float32 else value)
        made.type = type
        return made


def scalar(value: int | float | bool, type: dtype) -> Any:
    """A number of a type, as a name holds it."""
    if type == int1:
        return ScalarBool(value)
    return ScalarFloat(value, type) if type.is_floating() else ScalarInt(int(value), type)


def held(value: Any) -> Any:
    """What a name holds that is given a value: Python's numbers become scalars, in tuples and lists too."""
    if type(value) in (bool, int, float):
        return scalar(value, literal_type(value))
    if type(value) in (tuple, list):
        return type(value)(map(held, value))
    return value


def plain(value: Any) -> Any:
    """A scalar as Python's number, which follows what is beside it; anything else as it is."""
    if isinstance(value, ScalarBool):
        return bool(value)
    if isinstance(value, ScalarNumber):
        return int(value) if isinstance(value, int) else float(value)  # type: ignore[arg-type]
    return value


def is_literal(value: Any) -> bool:
    """Is it a Python number whose type is still open?"""
    return isinstance(value, (bool, int, float)) and not isinstance(value, ScalarNumber)


def literal_type(value: int | float | bool) -> dtype:
    """The type a Python number has when no operand beside it decides: int32 if it fits, float32 if it is in range.

    Raises TypeMismatchError for integers beyond 64 bits and for values that are no numbers.
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
    """The hint for what is given in place of a number or a block."""
    if isinstance(value, Type):
        return None
    if isinstance(value, tuple):
        return "take an element, as in x.shape[0]"
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    if callable(value) and isinstance(name, str):
        return f"call the function: {name}(...)"
    return "strings, lists and objects stay on the host"
