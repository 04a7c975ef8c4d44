"""Extents of a block as a tuple that can be compared with lists."""

from __future__ import annotations

from typing import SupportsIndex, overload


class Shape(tuple[int, ...]):
    """The extents of a block: a tuple that also equals a list of the same extents, as in Triton."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    @overload
    def __getitem__(self, key: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> Shape: ...
    def __getitem__(self, key: SupportsIndex | slice) -> int | Shape:
        return Shape(super().__getitem__(key)) if isinstance(key, slice) else super().__getitem__(key)
