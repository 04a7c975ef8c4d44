"""Specialization of a kernel for the arguments of a launch.

The native launcher (lib/Bindings/Python/LaunchArguments.h) describes each argument by its attributes, an integer with
the fields below. They specialize as in Triton: an integer equal to 1 and None become constants, and the compiler may
assume divisibility by 16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from blockdsl import _runtime
from blockdsl.compiler.signature import FLOAT_ENCODINGS, Draft, element_names, like
from blockdsl.errors import TypeMismatchError
from blockdsl.frontend.source import Specialization
from blockdsl.language.constexpr import unwrap
from blockdsl.language.descriptor import tensor_descriptor_type

# Roles of parameters, and fields of an argument's attributes, as in LaunchArguments.h and Launcher.h.
RUNTIME, CONSTEXPR, OPTION, IGNORED, GPU_OPTION, STREAM = range(6)
NONE, INT32, INT64, UINT64, BOOL, FLOAT, TENSOR, CONSTANT, DESCRIPTOR, TUPLE = range(10)
KIND_MASK = 0xF
DTYPE_SHIFT, DTYPE_MASK = 4, 0x1F
DIVISIBLE_BY_16 = 1 << 9
EQUAL_TO_ONE = 1 << 10
PADDED_WITH_NAN = 1 << 12
STRIDED = 1 << 13
FAR = 1 << 14
ALL_ATTRIBUTES = 0xFFFF_FFFF

MAX_PARAMETERS = 1000
"""The most parameters of a kernel. The launcher adds its options as further parameters."""

_SCALARS = {INT32: "i32", INT64: "i64", UINT64: "u64", BOOL: "i1", FLOAT: "fp32"}
SCALAR_TYPES = frozenset(_runtime.DTYPES)

Row = tuple[str, int, tuple[object, ...], int, str]


class Declared(Protocol):
    """A parameter as the kernel's source declares it."""

    @property
    def name(self) -> str: ...
    @property
    def is_constexpr(self) -> bool: ...
    @property
    def annotation(self) -> object: ...


@dataclass(frozen=True)
class Wanted:
    """The type of an annotation: a name such as ``i64`` or ``*fp32``, ``const`` for any read-only pointer, or None."""

    type: str | None = None

    @property
    def letter(self) -> str:
        """The class the launcher checks: pointer, integer, float, or anything."""
        if self.type is None:
            return "n"
        if self.type == "const" or self.type.startswith("*"):
            return "p"
        return "f" if self.type in FLOAT_ENCODINGS else "i"


def wanted(annotation: object) -> Wanted:
    """Parses an annotation: ``tl.int64``, ``"i64"``, ``"*fp32"``, ``tl.const``. Other annotations have no effect."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "name", None)
    if not isinstance(text, str):
        text = getattr(annotation, "__name__", "")
    text = text.strip("'\"").rpartition(".")[2]
    if text == "const":
        return Wanted("const")
    const, pointer, element = text.startswith("*k"), text.startswith("*"), text.lstrip("*").removeprefix("k")
    for long, short in (("uint", "u"), ("int", "i"), ("bfloat", "bf"), ("float", "fp")):
        if element.startswith(long):
            element = short + element.removeprefix(long)
            break
    if element not in SCALAR_TYPES:
        return Wanted()
    return Wanted("*k" * const + "*" * (pointer and not const) + element)


def row(
    parameter: Declared,
    fallback: tuple[object, ...],
    is_specialized: bool = True,
    is_aligned: bool = True,
    *,
    specializes_ones: bool = False,
) -> Row:
    """Describes a parameter to the native launcher.

    Args:
        parameter: The parameter.
        fallback: Its default, if it has one.
        is_specialized: Whether the code may depend on properties of its value.
        is_aligned: Whether the code may depend on its divisibility by 16.
        specializes_ones: Whether the value 1 of an integer of a declared type has its own key, as in Triton, though
            not its own kernel.
    """
    declared = wanted(parameter.annotation)
    mask = ALL_ATTRIBUTES
    if not is_specialized or declared.letter in ("f" if specializes_ones else "if"):
        mask &= ~EQUAL_TO_ONE
    if not is_specialized or not is_aligned:
        mask &= ~DIVISIBLE_BY_16
    role = CONSTEXPR if parameter.is_constexpr else RUNTIME
    # Triton's own parameters have no such attribute: its binder has already packed variadic arguments into a tuple.
    variadic = getattr(parameter, "variadic", False)
    letter = "v" if variadic else "n" if parameter.is_constexpr else declared.letter
    return (parameter.name, role, fallback, mask & ALL_ATTRIBUTES, letter)


def type_of(attribute: int, value: object = None) -> str | None:
    """Returns the type of an argument without annotation; None for None. ``value`` gives the block of a descriptor."""
    kind = attribute & KIND_MASK
    if kind not in (TENSOR, DESCRIPTOR):
        return _SCALARS.get(kind)
    element = _runtime.DTYPES[(attribute >> DTYPE_SHIFT) & DTYPE_MASK]
    if kind == TENSOR:
        return "*" + element
    sizes = ",".join(str(int(size)) for size in getattr(value, "block_shape", ()))
    return f"tensordesc<{element}[{sizes}]{',nan' * bool(attribute & PADDED_WITH_NAN)}>"


def is_too_wide(declared: str | None, attribute: int) -> bool:
    """Returns whether an integer has more than 32 bits and its declared type has at most 32. Values of fewer bits are
    not checked."""
    return declared in ("i8", "i16", "i32") and attribute & KIND_MASK in (INT64, UINT64)


Attributes = int | tuple[Any, ...]
"""Attributes of an argument; for a tuple the tuple of its elements' attributes."""


def specialize(
    parameters: Sequence[Declared],
    values: Sequence[object],
    attributes: Sequence[Attributes],
    refuse: Callable[[str, str, object], None],
) -> Specialization:
    """Returns the specialization for these arguments. Calls ``refuse`` for arguments that contradict annotations."""
    found = Draft()
    for parameter, value, attribute in zip(parameters, values, attributes, strict=False):
        name = parameter.name
        if parameter.is_constexpr:
            found.constants[name] = unwrap(value)
        elif isinstance(attribute, tuple):
            found.tuples[name] = _specialize_tuple(found, name, value, attribute)
        else:
            declared, actual = wanted(parameter.annotation), type_of(attribute, value)
            if actual and declared.letter == "p" and declared.type not in ("const", actual, actual.replace("*", "*k")):
                refuse("declared dtype", name, value)
            if is_too_wide(declared.type, attribute):
                refuse("declared value", name, value)
            if attribute & KIND_MASK == DESCRIPTOR:
                _check_block(name, value, str(actual), refuse)
            _specialize_value(found, name, value, attribute, declared.type)
    return found.specialization()


def _check_block(name: str, value: object, described: str, refuse: Callable[[str, str, object], None]) -> None:
    """Refuses a descriptor with an invalid block. It is of another library: our class checks its blocks."""
    try:
        tensor_descriptor_type.parse(described)
    except TypeMismatchError as error:
        refuse(f"unreadable: {error.message}", name, value)


def _specialize_value(found: Draft, name: str, value: object, attribute: int, declared: str | None) -> None:
    actual = type_of(attribute, value)
    if actual is None or attribute & EQUAL_TO_ONE:
        found.constants[name] = unwrap(value) if attribute & KIND_MASK == CONSTANT else None if actual is None else 1
        return
    found.types[name] = actual.replace("*", "*k") if declared == "const" else declared or actual
    if attribute & DIVISIBLE_BY_16 and attribute & KIND_MASK != DESCRIPTOR:
        found.divisibility[name] = 16


def _specialize_tuple(found: Draft, name: str, value: Any, attributes: tuple[Any, ...]) -> Any:
    """Specializes each element separately. Returns the names of the elements."""
    names = element_names(name, len(value))
    items: list[Any] = []
    for element, item, attribute in zip(names, value, attributes, strict=True):
        if isinstance(attribute, tuple):
            items.append(_specialize_tuple(found, element, item, attribute))
        else:
            _specialize_value(found, element, item, attribute, None)
            items.append(element)
    return like(value, items)


def flat(
    names: Sequence[str], tuples: Mapping[str, Any], values: Sequence[Any], attributes: Sequence[Attributes]
) -> list[tuple[Any, int]]:
    """Returns values and attributes of parameters and of elements of tuples, in the order of ``Signature.places``."""
    found: list[tuple[Any, int]] = []
    for name, value, attribute in zip(names, values, attributes, strict=False):
        if name in tuples and isinstance(attribute, tuple):
            elements = element_names(name, len(attribute))
            found += flat(elements, dict.fromkeys(elements), value, attribute)
        else:
            found.append((value, attribute if isinstance(attribute, int) else 0))
    return found
