"""Types of a kernel's values: pointers, blocks and, from number_types.py, numbers. Promotion is in promotion.py."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from ..errors import TypeMismatchError
from .extents import Shape
from .number_types import BY_NAME
from .number_types import SCALARS as SCALARS
from .number_types import bfloat16 as bfloat16
from .number_types import dtype as dtype
from .number_types import float8e4b8 as float8e4b8
from .number_types import float8e4b15 as float8e4b15
from .number_types import float8e4nv as float8e4nv
from .number_types import float8e5 as float8e5
from .number_types import float8e5b16 as float8e5b16
from .number_types import float16 as float16
from .number_types import float32 as float32
from .number_types import float64 as float64
from .number_types import get_int_dtype as get_int_dtype
from .number_types import int1 as int1
from .number_types import int8 as int8
from .number_types import int16 as int16
from .number_types import int32 as int32
from .number_types import int64 as int64
from .number_types import uint8 as uint8
from .number_types import uint16 as uint16
from .number_types import uint32 as uint32
from .number_types import uint64 as uint64
from .number_types import void as void
from .predicates import Kind as Kind
from .type_base import Scalar as Scalar
from .type_base import Type as Type


@dataclass(frozen=True, repr=False)
class pointer_type(Scalar):  # noqa: N801 - Triton's spelling
    """The address of elements of one type: ``tl.pointer_type(tl.float32)``.

    Attributes:
        element_ty: The pointee type.
        address_space: ``global``, the only one.
        const: Whether stores through it are refused.
    """

    element_ty: Scalar
    address_space: str = "global"
    const: bool = False
    primitive_bitwidth = 64

    def __post_init__(self) -> None:
        element = getattr(self.element_ty, "value", self.element_ty)  # The value of a constexpr.
        if not isinstance(element, Type):
            raise TypeMismatchError(f"a pointer's element type is expected, got {element!r}")
        object.__setattr__(self, "element_ty", element)

    @property
    def name(self) -> str:
        return str(self)

    @property
    def ir(self) -> str:
        return f"!tt.ptr<{self.element_ty.ir}>"

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self.const

    def mangle(self) -> str:
        return f"P{self.element_ty.mangle()}"

    def __str__(self) -> str:
        return f"{'const_' if self.const else ''}pointer<{self.element_ty}>"

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class block_type(Type):  # noqa: N801 - Triton's spelling
    """A block: an element type and a shape. Every extent is a power of two.

    Attributes:
        element_ty: Type of one element.
        extents: The shape.
    """

    element_ty: Scalar
    extents: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "extents", Shape(self.extents))

    @property
    def shape(self) -> Shape:
        assert isinstance(self.extents, Shape)
        return self.extents

    @property
    def scalar(self) -> Scalar:
        return self.element_ty

    @property
    def ir(self) -> str:
        return f"tensor<{'x'.join(map(str, self.extents))}x{self.element_ty.ir}>"

    @property
    def numel(self) -> int:
        return prod(self.extents)

    @property
    def name(self) -> str:
        return str(self)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.numel * (self.element_ty.primitive_bitwidth // 8)

    def is_block(self) -> bool:
        return True

    def mangle(self) -> str:
        return f"{self.element_ty.mangle()}S{'_'.join(map(str, self.extents))}S"

    def get_block_shapes(self) -> Shape:
        return self.shape

    def with_element_ty(self, element: Scalar) -> Type:
        return replace(self, element_ty=element)

    def __str__(self) -> str:
        return f"<{list(self.extents)}, {self.element_ty}>"

    __repr__ = __str__


class const:  # noqa: N801 - Triton's spelling
    """As an annotation: the kernel does not write through this pointer.

    Example:
        @blockdsl.jit
        def kernel(x_ptr: tl.const, y_ptr, n):
            tl.store(y_ptr, tl.load(x_ptr) + n)
    """


MAX_BLOCK_ELEMENTS = 2**20


def block(element: Scalar, shape: Sequence[int]) -> Type:
    """Returns the type of a block, or the element type for an empty shape.

    Raises TypeMismatchError if an extent is not a power of two or the block is larger than 2**20 elements.
    """
    if not shape:
        return element
    for extent in shape:
        if not isinstance(extent, int) or isinstance(extent, bool):
            raise TypeMismatchError(
                f"a shape expects compile-time integers, got {extent!r} in {tuple(shape)}",
                hint="declare the parameter as `tl.constexpr`",
            )
        if extent <= 0 or extent & (extent - 1):
            raise TypeMismatchError(
                f"a block's extents must be powers of two, got {extent} in {tuple(shape)}",
                hint=f"use {1 << extent.bit_length()} and mask the rest off" if extent > 0 else None,
            )
    if prod(shape) > MAX_BLOCK_ELEMENTS:
        raise TypeMismatchError(
            f"a block holds at most {MAX_BLOCK_ELEMENTS} elements, got {prod(shape)} for shape {tuple(shape)}",
            hint="loop over smaller blocks",
        )
    return block_type(element, tuple(shape))


pi32_t = pointer_type(int32)


def parse(name: str) -> Scalar:
    """Parses a type in a signature: ``fp32``, ``u8``, ``*bf16``, ``*k i32`` for a read-only pointer.

    Raises TypeMismatchError for an unknown type.

    Example:
        parse("*fp32")    # pointer<fp32>
    """
    if name.startswith("*"):
        const = name.startswith("*k")
        return pointer_type(parse(name[2:] if const else name[1:]), const=const)
    if name not in BY_NAME:
        close = difflib.get_close_matches(name.replace("float", "fp"), BY_NAME, n=1)
        known = f"known are {', '.join(sorted(BY_NAME))}, and *T"
        hint = f"did you mean '{close[0]}'?" if close else known
        raise TypeMismatchError(f"a type's name is expected, got {name!r}", hint=hint)
    return BY_NAME[name]
