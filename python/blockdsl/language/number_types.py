"""Number types: ``dtype``, its instances such as ``float32``, and their names. Pointers and blocks are in types.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import MissingNameError, TypeMismatchError
from .predicates import Kind, Signedness
from .type_base import Scalar, Type


@dataclass(frozen=True)
class _Number:
    """The properties of a number type. ``dtype`` documents the attributes; ``ir`` is the spelling in the IR."""

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
    # NumPy lacks these types: the interpreter represents them as float32 and rounds after every operation.
    "bf16": _Number("float", 16, "bf16", "float32", 7),
    "fp8e5": _Number("float", 8, "f8E5M2", "float32", 2),
    "fp8e4nv": _Number("float", 8, "f8E4M3FN", "float32", 3),
    "fp8e4b8": _Number("float", 8, "f8E4M3FNUZ", "float32", 3),
    "fp8e5b16": _Number("float", 8, "f8E5M2FNUZ", "float32", 2),
    # The IR lacks this type and uses bytes, see float8e4b15.py.
    "fp8e4b15": _Number("float", 8, "i8", "float32", 3),
}
_dtypes: dict[str, dtype] = {}

_OF_ONE_KIND = {
    "int_bitwidth": "an integer", "int_signedness": "an integer", "fp_mantissa_width": "a float",
    "exponent_bias": "a float",
}  # fmt: skip
"""Attributes that only some types have."""


class dtype(Scalar):  # noqa: N801 - Triton's spelling
    """A number type such as ``tl.float32``, which is also ``tl.dtype("fp32")``: there is one object per name.

    Args:
        name: Triton's spelling, such as ``fp32`` or ``uint8``.

    Attributes:
        name: Triton's spelling.
        family: ``int``, ``uint``, ``float`` or ``void``.
        primitive_bitwidth: Bits of one element.
        itemsize: Bytes of one element; as in Triton 0 for ``int1``.
        carrier: NumPy's name of the array type for the values in the interpreter.
        int_bitwidth: Bits of an integer type; other types do not have the attribute.
        int_signedness: ``SIGNEDNESS.SIGNED`` or ``UNSIGNED``, only for integer types.
        fp_mantissa_width: Explicit mantissa bits, only for float types.
        exponent_bias: The bias of the stored exponent, only for float types.

    Raises:
        TypeMismatchError: There is no type of this name.

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
        name = getattr(name, "value", name)  # The value of a constexpr.
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
            # Python's AttributeError.
            return object.__getattribute__(self, attribute)
        raise MissingNameError(f"'{attribute}' expects {kind} type, got {self}")

    def __eq__(self, other: object) -> Any:
        return self is other if isinstance(other, Type) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name,))

    @property
    def ir(self) -> str:
        return _NUMBERS[self.name].ir

    def _expects_int(self, attribute: str) -> None:
        if not self.is_int():
            raise TypeMismatchError(f"'{attribute}' expects an integer type, got {self}")

    def kind(self) -> Kind:
        """Rank in bool < int < float. Literals of a lower or equal kind do not promote."""
        return Kind.BOOLEAN if self.is_bool() else Kind.FLOATING if self.is_floating() else Kind.INTEGRAL

    def codegen_name(self) -> str:
        """The type's name in the language, such as ``float32``."""
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

SCALARS: tuple[dtype, ...] = (
    int1, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, bfloat16, float32, float64, float8e5, float8e4nv, float8e4b8, float8e5b16,
    float8e4b15,
)  # fmt: skip
_PUBLIC_NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"} | {
    scalar.name: "float" + scalar.name[2:] for scalar in SCALARS if scalar.name.startswith("fp8")
}
BY_NAME = {scalar.name: scalar for scalar in SCALARS}
BY_NAME |= {"i" + scalar.name[3:]: scalar for scalar in SCALARS if scalar.family == "int"}
BY_NAME |= {"u" + scalar.name[4:]: scalar for scalar in SCALARS if scalar.name.startswith("uint")}
BY_NAME |= {"i1": int1, "u1": int1, "B": int1}


def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """Returns the integer type of a width. Raises TypeMismatchError if there is none."""
    name = f"{'' if signed or bitwidth == 1 else 'u'}int{bitwidth}"
    if name not in BY_NAME:
        raise TypeMismatchError(f"'get_int_dtype' expects 1, 8, 16, 32 or 64 bits, got {bitwidth}")
    return BY_NAME[name]
