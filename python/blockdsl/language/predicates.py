"""Predicates of types by kind of number. They are false for pointers and blocks, as in Triton."""

from __future__ import annotations

import enum
from typing import ClassVar


class Kind(enum.IntEnum):
    """The order of kinds of numbers in promotion."""

    BOOLEAN = 0
    INTEGRAL = 1
    FLOATING = 2


class Signedness(enum.IntEnum):
    """The signedness of integer types."""

    SIGNED = 0
    UNSIGNED = 1


class TypePredicates:
    """The predicates, and their lists of type names. A predicate tests a type's name, ``str(type)``."""

    FP_TYPES: ClassVar = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"]
    STANDARD_FP_TYPES: ClassVar = ["fp16", "bf16", "fp32", "fp64"]
    SINT_TYPES: ClassVar = ["int8", "int16", "int32", "int64"]
    UINT_TYPES: ClassVar = ["int1", "uint8", "uint16", "uint32", "uint64"]
    OTHER_TYPES: ClassVar = ["void"]
    KIND = Kind
    SIGNEDNESS = Signedness

    @staticmethod
    def is_dtype(type_str: str) -> bool:
        """Returns whether it is the name of a number type."""
        known = TypePredicates
        return any(type_str in each for each in (known.FP_TYPES, known.SINT_TYPES, known.UINT_TYPES, known.OTHER_TYPES))

    def is_floating(self) -> bool:
        return str(self) in self.FP_TYPES

    def is_standard_floating(self) -> bool:
        return str(self) in self.STANDARD_FP_TYPES

    def is_int_signed(self) -> bool:
        return str(self) in self.SINT_TYPES

    def is_int_unsigned(self) -> bool:
        return str(self) in self.UINT_TYPES

    def is_int(self) -> bool:
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self) -> bool:
        return self.is_int1()

    def is_fp8(self) -> bool:
        return str(self) in self.FP_TYPES and str(self).startswith("fp8")

    def is_int1(self) -> bool:
        return str(self) == "int1"

    def is_int8(self) -> bool:
        return str(self) == "int8"

    def is_int16(self) -> bool:
        return str(self) == "int16"

    def is_int32(self) -> bool:
        return str(self) == "int32"

    def is_int64(self) -> bool:
        return str(self) == "int64"

    def is_uint8(self) -> bool:
        return str(self) == "uint8"

    def is_uint16(self) -> bool:
        return str(self) == "uint16"

    def is_uint32(self) -> bool:
        return str(self) == "uint32"

    def is_uint64(self) -> bool:
        return str(self) == "uint64"

    def is_fp16(self) -> bool:
        return str(self) == "fp16"

    def is_bf16(self) -> bool:
        return str(self) == "bf16"

    def is_fp32(self) -> bool:
        return str(self) == "fp32"

    def is_fp64(self) -> bool:
        return str(self) == "fp64"

    def is_fp8e5(self) -> bool:
        return str(self) == "fp8e5"

    def is_fp8e5b16(self) -> bool:
        return str(self) == "fp8e5b16"

    def is_fp8e4nv(self) -> bool:
        return str(self) == "fp8e4nv"

    def is_fp8e4b8(self) -> bool:
        return str(self) == "fp8e4b8"

    def is_fp8e4b15(self) -> bool:
        return str(self) == "fp8e4b15"

    def is_void(self) -> bool:
        return str(self) == "void"
