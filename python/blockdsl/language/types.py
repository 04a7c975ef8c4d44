"""The types a kernel's values have: scalars, pointers, blocks. No value lives here, and no rule of promotion."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from ..errors import MissingNameError, TypeMismatchError
from .extents import Shape
from .predicates import Kind, Questions, Signedness

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


@dataclass(frozen=True)
class _Number:
    """A number type besides its name: ``dtype`` says what the attributes are, and the IR's spelling is ``ir``."""

    family: str
    primitive_bitwidth: int
    ir: str
    carrier: str
    fp_mantissa_width: int | None = None


_NUMBERS = {
    "void": _Number("void", 0, "none", "void"),
    "int1": _Number("uint", 1, "i1", "bool"),
    "int8": _Number("int", 8, "i8", "int8"),
    "int16": _Number("int", 16, "i16", "int16"),
    "int32": _Number("int", 32, "i32", "int32"),
    "int64": _Number("int", 64, "i64", "int64"),
    "uint8": _Number("uint", 8, "i8", "uint8"),
    "uint16": _Number("uint", 16, "i16", "uint16"),
    "uint32": _Number("uint", 32, "i32", "uint32"),
    "uint64": _Number("uint", 64, "i64", "uint64"),
    "fp16": _Number("float", 16, "f16", "float16", 10),
    "fp32": _Number("float", 32, "f32", "float32", 23),
    "fp64": _Number("float", 64, "f64", "float64", 52),
    # NumPy has no type for these: the interpreter carries them as float32 and rounds after every operation.
    "bf16": _Number("float", 16, "bf16", "float32", 7),
    "fp8e5": _Number("float", 8, "f8E5M2", "float32", 2),
    "fp8e4nv": _Number("float", 8, "f8E4M3FN", "float32", 3),
    "fp8e4b8": _Number("float", 8, "f8E4M3FNUZ", "float32", 3),
    "fp8e5b16": _Number("float", 8, "f8E5M2FNUZ", "float32", 2),
    # The IR has none for this one: there it is bytes, see float8e4b15.py.
    "fp8e4b15": _Number("float", 8, "i8", "float32", 3),
}
_dtypes: dict[str, dtype] = {}

_OF_ONE_KIND = {
    "int_bitwidth": "an integer", "int_signedness": "an integer", "fp_mantissa_width": "a float",
    "exponent_bias": "a float",
}  # fmt: skip
"""Attributes that only some types have."""


class dtype(Scalar):  # noqa: N801 - Triton's spelling
    """A number type such as ``tl.float32``, which is also ``tl.dtype("fp32")``: there is one object for each name.

    Args:
        name: Triton's spelling, such as ``fp32`` or ``uint8``.

    Attributes:
        name: The same.
        family: ``int``, ``uint``, ``float`` or ``void``.
        primitive_bitwidth: Bits of one element.
        itemsize: Bytes of one element, as Triton counts them: 0 for ``int1``.
        carrier: NumPy's name of the array type that holds such values in the interpreter.
        int_bitwidth: Bits of an integer type; other types do not have the attribute.
        int_signedness: ``SIGNEDNESS.SIGNED`` or ``UNSIGNED`` of an integer type, likewise.
        fp_mantissa_width: Explicit bits of the fraction of a float type, likewise.
        exponent_bias: What is added to the exponent of a float type where it is stored, likewise.

    Raises:
        TypeMismatchError: There is no type of that name.

    Example:
        if x.dtype.is_floating():
            x = x.to(tl.float32)
    """

    name: str
    family: str
    primitive_bitwidth: int
    itemsize: int
    carrier: str
    int_bitwidth: int
    int_signedness: Signedness
    fp_mantissa_width: int
    exponent_bias: int

    def __new__(cls, name: str) -> dtype:
        name = getattr(name, "value", name)  # A constexpr's.
        number = _NUMBERS.get(name) if isinstance(name, str) else None
        if number is None:
            raise TypeMismatchError(f"a type's name is expected, got {name!r}", hint=f"known are {', '.join(_NUMBERS)}")
        return _dtypes.get(name) or _dtypes.setdefault(name, cls._made(name, number))

    @classmethod
    def _made(cls, name: str, number: _Number) -> dtype:
        made = object.__new__(cls)
        made.name, made.family, made.carrier = name, number.family, number.carrier
        made.primitive_bitwidth, made.itemsize = number.primitive_bitwidth, number.primitive_bitwidth // 8
        if made.is_int():
            made.int_bitwidth = made.primitive_bitwidth
            made.int_signedness = Signedness.SIGNED if made.is_int_signed() else Signedness.UNSIGNED
        elif number.fp_mantissa_width is not None:
            made.fp_mantissa_width = number.fp_mantissa_width
            made.exponent_bias = (1 << made.primitive_bitwidth - made.fp_mantissa_width - 2) - 1
            if name[5:6] == "b":
                made.exponent_bias = int(name[6:])
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype, (self.name,)

    def __getattr__(self, attribute: str) -> Any:
        kind = _OF_ONE_KIND.get(attribute)
        if kind is None:
            # An AttributeError in Python's words.
            return object.__getattribute__(self, attribute)
        raise MissingNameError(f"'{attribute}' expects {kind} type, got {self}")

    def __eq__(self, other: object) -> Any:
        return self is other if isinstance(other, Type) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name,))

    @property
    def ir(self) -> str:
        return _NUMBERS[self.name].ir

    def _expects_int(self, what: str) -> None:
        if not self.is_int():
            raise TypeMismatchError(f"'{what}' expects an integer type, got {self}")

    def kind(self) -> Kind:
        """Place in bool < int < float; literals of a lower or equal kind do not promote."""
        return Kind.BOOLEAN if self.is_bool() else Kind.FLOATING if self.is_floating() else Kind.INTEGRAL

    def codegen_name(self) -> str:
        """The name under which Triton's language has the type, such as ``float32``."""
        return _PUBLIC_NAMES.get(self.name, self.name)

    def mangle(self) -> str:
        short = {"int": "i", "uint": "u", "void": "V"}.get(self.family)
        return self.name if short is None else f"{short}{self.primitive_bitwidth or ''}"

    def is_int(self) -> bool:
        return self.family in ("int", "uint")

    def is_int_signed(self) -> bool:
        return self.family == "int"

    def is_int_unsigned(self) -> bool:
        return self.family == "uint"

    def is_floating(self) -> bool:
        return self.family == "float"

    def get_int_min_value(self) -> int:
        self._expects_int("get_int_min_value")
        return -(2 ** (self.primitive_bitwidth - 1)) if self.is_int_signed() else 0

    def get_int_max_value(self) -> int:
        self._expects_int("get_int_max_value")
        return int(2 ** (self.primitive_bitwidth - (1 if self.is_int_signed() else 0)) - 1)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"blockdsl.language.{self.codegen_name()}"


@dataclass(frozen=True, repr=False)
class pointer_type(Scalar):  # noqa: N801 - Triton's spelling
    """The address of elements of one type: ``tl.pointer_type(tl.float32)``.

    Attributes:
        element_ty: What it points to.
        address_space: ``global``; there is no other.
        const: Stores through it are refused.
    """

    element_ty: Scalar
    address_space: str = "global"
    const: bool = False
    primitive_bitwidth = 64

    def __post_init__(self) -> None:
        element = getattr(self.element_ty, "value", self.element_ty)  # A constexpr's.
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
    """The type of a block, or the element type itself when there is no shape.

    Raises TypeMismatchError when an extent is not a power of two or the block is larger than 2**20 elements.
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


void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float16 = dtype("fp16")
float32 = dtype("fp32")
float64 = dtype("fp64")
bfloat16 = dtype("bf16")
float8e5 = dtype("fp8e5")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e5b16 = dtype("fp8e5b16")
float8e4b15 = dtype("fp8e4b15")
pi32_t = pointer_type(int32)

SCALARS: tuple[dtype, ...] = (
    int1, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, bfloat16, float32, float64, float8e5, float8e4nv, float8e4b8, float8e5b16,
    float8e4b15,
)  # fmt: skip
_PUBLIC_NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"} | {
    scalar.name: "float" + scalar.name[2:] for scalar in SCALARS if scalar.name.startswith("fp8")
}
_BY_NAME = {scalar.name: scalar for scalar in SCALARS}
_BY_NAME |= {"i" + scalar.name[3:]: scalar for scalar in SCALARS if scalar.family == "int"}
_BY_NAME |= {"u" + scalar.name[4:]: scalar for scalar in SCALARS if scalar.name.startswith("uint")}
_BY_NAME |= {"i1": int1, "u1": int1, "B": int1}


def parse(name: str) -> Scalar:
    """The type a signature's spelling stands for: ``fp32``, ``u8``, ``*bf16``, ``*k i32`` for a read-only pointer.

    Raises TypeMismatchError for a name that is no type.

    Example:
        parse("*fp32")    # pointer<fp32>
    """
    if name.startswith("*"):
        const = name.startswith("*k")
        return pointer_type(parse(name[2:] if const else name[1:]), const=const)
    if name not in _BY_NAME:
        close = difflib.get_close_matches(name.replace("float", "fp"), _BY_NAME, n=1)
        known = f"known are {', '.join(sorted(_BY_NAME))}, and *T"
        hint = f"did you mean '{close[0]}'?" if close else known
        raise TypeMismatchError(f"a type's name is expected, got {name!r}", hint=hint)
    return _BY_NAME[name]


def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer type with so many bits. Raises TypeMismatchError when there is none."""
    name = f"{'' if signed or bitwidth == 1 else 'u'}int{bitwidth}"
    if name not in _BY_NAME:
        raise TypeMismatchError(f"'get_int_dtype' expects 1, 8, 16, 32 or 64 bits, got {bitwidth}")
    return _BY_NAME[name]
