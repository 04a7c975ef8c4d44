"""Base classes of the types of a kernel's values."""

from __future__ import annotations

from .extents import Shape
from .predicates import TypePredicates

_NO_EXTENTS = Shape()


class Type(TypePredicates):
    """The base of all types. ``scalar`` is the type of one element; ``shape`` is empty for a scalar."""

    @property
    def scalar(self) -> Scalar:
        raise NotImplementedError

    @property
    def shape(self) -> Shape:
        return _NO_EXTENTS

    @property
    def value(self) -> Type:
        """The type itself. Triton's kernels read it, as types are compile-time values."""
        return self

    @property
    def ir(self) -> str:
        """The type's spelling in a tt module."""
        raise NotImplementedError

    @property
    def cache_key_part(self) -> str:
        """The type's part of a kernel's cache key: its name."""
        return str(self)

    def mangle(self) -> str:
        """Returns the type's part of a function's name."""
        raise NotImplementedError

    def is_block(self) -> bool:
        return False

    def is_ptr(self) -> bool:
        return False

    def is_const(self) -> bool:
        return False

    def with_element_ty(self, element: Scalar) -> Type:
        """Returns the type of the same shape with another element type."""
        return element


class Scalar(Type):
    """A type without a shape: a number or a pointer."""

    primitive_bitwidth: int

    @property
    def scalar(self) -> Scalar:
        return self
