"""Types of random modules, and the NumPy arrays that hold their values.

Integers are signed arrays whatever an op makes of them, bools are bools, and a bf16 is the f32 of the same value. A
pointer is an int64: the number of its buffer, then the byte in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
_ARRAYS = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16,
           "bf16": np.float32, "f32": np.float32, "f64": np.float64}  # fmt: skip


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
    def is_integer(self) -> bool:
        return self.element in INTEGERS

    @property
    def bits(self) -> int:
        return 1 if self.element == "i1" else int(self.element.lstrip("bif"))

    @property
    def count(self) -> int:
        return int(np.prod(self.shape or ()))

    @property
    def array(self) -> Any:
        """The NumPy type of its values."""
        return np.int64 if self.is_pointer else _ARRAYS[self.element]

    def of(self, element: str) -> Type:
        """A type of the same shape."""
        return Type(element, self.shape)

    def at(self, *shape: int) -> Type:
        """A block of the same elements."""
        return Type(self.element, shape)

    def scalar(self) -> Type:
        return Type(self.element)


def bytes_of(element: str) -> int:
    """The size of an element in memory."""
    return 8 if element.startswith("*") else max(Type(element).bits // 8, 1)


def round_to(element: str, value: Any) -> Any:
    """Values as the type holds them: the bits of a bf16 are the upper half of an f32's, rounded to even."""
    if element != "bf16":
        return np.asarray(value).astype(Type(element).array)
    bits = np.asarray(value, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
    return np.where(np.isnan(value), np.float32(np.nan), rounded.view(np.float32))


def to_memory(element: str, value: Any) -> Any:
    """The bytes of values, one row an element."""
    value = np.asarray(value).reshape(-1)
    if element == "bf16":
        value = (np.ascontiguousarray(value, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(value).view(np.uint8).reshape(-1, bytes_of(element))


def from_memory(element: str, rows: Any) -> Any:
    """The inverse."""
    flat = np.ascontiguousarray(rows).reshape(-1)
    if element == "bf16":
        return (flat.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    if element == "i1":
        return (flat & 1).astype(np.bool_)
    return flat.view(Type(element).array).copy()
