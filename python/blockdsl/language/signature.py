"""Types of compile-time values and tuples, and parsing of types in signatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .descriptor import tensor_descriptor_type
from .types import MAX_BLOCK_ELEMENTS, Type, parse

TRITON_MAX_TENSOR_NUMEL = MAX_BLOCK_ELEMENTS


@dataclass(frozen=True, repr=False)
class constexpr_type(Type):  # noqa: N801 - Triton's spelling
    """The type of a compile-time value.

    Attributes:
        known: The value.
    """

    known: Any

    @property
    def value(self) -> Any:
        return self.known

    def mangle(self) -> str:
        return f"c{self.known}"

    def __str__(self) -> str:
        return f"constexpr_type[{self.known}]"

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class tuple_type(Type):  # noqa: N801 - Triton's spelling
    """The type of a tuple.

    Attributes:
        types: The types of its items.
        fields: The names of its items, if it is a named tuple.
    """

    types: Sequence[Type]
    fields: Sequence[str] | None = None

    def mangle(self) -> str:
        return "T" + "_".join(kind.mangle() for kind in self.types) + "T"

    def __str__(self) -> str:
        names = self.fields or [""] * len(self.types)
        pairs = zip(names, self.types, strict=True)
        return "[" + ",".join(f"{name}:{kind}" if name else str(kind) for name, kind in pairs) + "]"

    __repr__ = __str__


def str_to_ty(name: Any, c: Any = None) -> Type:
    """Parses a type in a signature, including tuples and descriptors.

    Args:
        name: A name such as ``*fp32``, ``i32``, ``tensordesc<fp16[16,64]>`` or ``constexpr``, or a tuple of names.
        c: The value of ``constexpr``, or a tuple of values.

    Raises:
        TypeMismatchError: There is no such type.

    Example:
        tl.str_to_ty("*fp32")        # pointer<fp32>
    """
    if isinstance(name, tuple):
        values = c if isinstance(c, tuple) else (c,) * len(name)
        kinds = tuple(str_to_ty(each, value) for each, value in zip(name, values, strict=True))
        return tuple_type(kinds, getattr(name, "_fields", None))
    if name == "constexpr":
        return constexpr_type(c)
    return tensor_descriptor_type.parse(name) or parse(name)
