"""Base classes of the types of a kernel's values."""

from __future__ import annotations

from .extents import Shape
from .predicates import Questions

_NO_EXTENTS = Shape()


class Type(Questions):
    """What every type answers. ``scalar`` is the type of one element; ``shape`` is empty for a scalar."""

    @property
    def scalar(self) -> Scalar:
        raise NotImplementedError

    @property
    def shape(self) -> Shape:
        return _NO_EXTENTS

    @property
    def value(self) -> Type:
        """Itself: a type is known when the kernel is compiled, and Triton's kernels ask for it so."""
        return self

    @property
    def ir(self) -> str:
        """The type as it is written in the tt module."""
        raise NotImplementedError

    @property
    def cache_key_part(self) -> str:
        """What of the type a compiled kernel depends on: its name."""
        return str(self)

    def mangle(self) -> str:
        """The type in the name of a function."""
        raise NotImplementedError

    def is_block(self) -> bool:
        return False

    def is_ptr(self) -> bool:
        return False

    def is_const(self) -> bool:
        return False

    def with_element_ty(self, element: Scalar) -> Type:
        """The same shape with another element type."""
        return element


class Scalar(Type):
    """A type without a shape: a number or a pointer."""

    primitive_bitwidth: int

    @property
    def scalar(self) -> Scalar:
        return self
