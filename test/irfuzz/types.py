"""Types of random modules, and the NumPy arrays that hold their values.

Integers are signed arrays for all ops, bools are bools, and a bf16 or a float of 8 bits is the f32 of
the same value. A pointer is an int64: the number of its buffer, then the byte in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
FLOATS8 = ("f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ")
_ARRAYS = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16,
           "bf16": np.float32, "f32": np.float32, "f64": np.float64,
           **dict.fromkeys(FLOATS8, np.float32)}  # fmt: skip


@dataclass(frozen=True)
class Type:
    """A scalar's type, or a block's.

    Attributes:
        element: ``i32``, ``bf16`` and so on, or ``*i32`` for a pointer.
        shape: Of a block; None for a scalar.
    """

    element: str
    shape: tuple[int, ...] | None = None

    def __str__(self) -> str:
        element = f"!tt.ptr<{self.element[1:]}>" if self.is_pointer else self.element
        return element if self.shape is None else f"tensor<{''.join(f'{size}x' for size in self.shape)}{element}>"

    @property
    def is_pointer(self) -> bool:
        return self.element.startswith("*")

    @property
    def is_float(self) -> bool:
        return self.element in FLOATS

    @property
    def is_float8(self) -> bool:
        """8-bit floats: they are moved, compared as bits and converted, but not used in arithmetic."""
        return self.element in FLOATS8

    @property
    def has_constants(self) -> bool:
        return not self.is_pointer

    @property
    def is_integer(self) -> bool:
        return self.element in INTEGERS

    @property
    def bits(self) -> int:
        return 1 if self.element == "i1" else 8 if self.is_float8 else int(self.element.lstrip("bif"))

    @property
    def count(self) -> int:
        return int(np.prod(self.shape or ()))

    @property
    def array(self) -> Any:
        """Returns the NumPy type of its values."""
        return np.int64 if self.is_pointer else _ARRAYS[self.element]

    def of(self, element: str) -> Type:
        """Returns a type of the same shape."""
        return Type(element, self.shape)

    def at(self, *shape: int) -> Type:
        """Returns a block of the same elements."""
        return Type(self.element, shape)

    def scalar(self) -> Type:
        return Type(self.element)


@dataclass(frozen=True)
class Descriptor(Type):
    """A view of memory whose blocks are of this type.

    Attributes:
        block: Their shape.
    """

    block: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"!tt.tensordesc<{'x'.join(map(str, self.block))}x{self.element}>"

    @property
    def has_constants(self) -> bool:
        return False

    @property
    def array(self) -> Any:
        return np.object_


@cache
def float8(element: str) -> Any:
    """Returns the numbers of all bytes of a type of 8-bit floats."""
    exponents, fnuz = (5 if "E5" in element else 4), element.endswith("FNUZ")
    fraction_bits = 7 - exponents
    bias = 2 ** (exponents - 1) - (0 if fnuz else 1)
    byte = np.arange(128)
    exponent, fraction = byte >> fraction_bits, (byte & (2**fraction_bits - 1)) / 2**fraction_bits
    numbers = np.where(exponent == 0, fraction * 2.0 ** (1 - bias), (1 + fraction) * 2.0 ** (exponent - bias))
    if element == "f8E5M2":
        numbers[0x7C:] = np.inf, np.nan, np.nan, np.nan
    elif not fnuz:
        numbers[0x7F] = np.nan
    negative = -numbers
    if fnuz:
        negative[0] = np.nan
    return np.concatenate([numbers, negative]).astype(np.float32)


def to_float8(element: str, value: Any, *, to_zero: bool = False) -> Any:
    """Rounds to the nearest number, ties to even, or toward zero; numbers out of range become the largest."""
    table = float8(element)[:128].astype(np.float64)
    finite = table[np.isfinite(table)]
    wide = np.asarray(value, np.float64)
    size = np.minimum(np.abs(np.nan_to_num(wide, nan=0.0, posinf=np.inf, neginf=-np.inf)), finite[-1])
    lower = np.clip(np.searchsorted(finite, size, side="right") - 1, 0, len(finite) - 1)
    upper = np.minimum(lower + 1, len(finite) - 1)
    middle = (finite[lower] + finite[upper]) / 2
    is_rounded_up = (size > middle) | ((size == middle) & (lower % 2 == 1))
    chosen = finite[np.where(is_rounded_up & (not to_zero), upper, lower)].astype(np.float32)
    signed = np.copysign(chosen, wide.astype(np.float32)) if not element.endswith("FNUZ") else np.where(
        (wide < 0) & (chosen != 0), -chosen, chosen)  # fmt: skip
    return np.where(np.isnan(wide), np.float32(np.nan), signed).astype(np.float32)


def bytes_of(element: str) -> int:
    """Returns the size of an element in memory."""
    return 8 if element.startswith("*") else max(Type(element).bits // 8, 1)


def round_to(element: str, value: Any) -> Any:
    """Returns values as in memory: the bits of a bf16 are the upper half of an f32's, rounded to even."""
    if Type(element).is_float8:
        return to_float8(element, value)
    if element != "bf16":
        return np.asarray(value).astype(Type(element).array)
    bits = np.asarray(value, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
    return np.where(np.isnan(value), np.float32(np.nan), rounded.view(np.float32))


def to_memory(element: str, value: Any) -> Any:
    """Returns the bytes of values, one row an element."""
    value = np.asarray(value).reshape(-1)
    if Type(element).is_float8:
        numbers = np.asarray(value, np.float32)
        magnitude = np.minimum(np.searchsorted(float8(element)[:128], np.abs(numbers)), 127)
        signs = np.where(np.signbit(numbers) & ~(element.endswith("FNUZ") & (numbers == 0)), 128, 0)
        missing = 0x80 if element.endswith("FNUZ") else 0x7F
        return np.where(np.isnan(numbers), missing, magnitude | signs).astype(np.uint8).reshape(-1, 1)
    if element == "bf16":
        value = (np.ascontiguousarray(value, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(value).view(np.uint8).reshape(-1, bytes_of(element))


def from_memory(element: str, rows: Any) -> Any:
    """Inverse of ``to_memory``."""
    flat = np.ascontiguousarray(rows).reshape(-1)
    if Type(element).is_float8:
        return float8(element)[flat]
    if element == "bf16":
        return (flat.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    if element == "i1":
        return (flat & 1).astype(np.bool_)
    return flat.view(Type(element).array).copy()
