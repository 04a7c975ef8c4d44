"""From what the launcher read of the arguments to what a kernel is compiled for.

The launcher (lib/Bindings/Python/LaunchArguments.h) describes each argument by a *fact*, an integer of the fields
below. This module gives the facts Triton's meaning: an integer equal to 1 and None become constants, divisibility by 16
becomes an attribute.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from blockdsl import _runtime
from blockdsl.compiler.source_locations import caller
from blockdsl.errors import LaunchError, TypeMismatchError
from blockdsl.frontend.source import Specialization
from blockdsl.language.constexpr import unwrap
from blockdsl.language.descriptor import tensor_descriptor_type

# Roles of parameters, and fields of facts: as in LaunchArguments.h and Launcher.h.
RUNTIME, CONSTEXPR, OPTION, IGNORED, GPU_OPTION, STREAM = range(6)
NONE, INT32, INT64, UINT64, BOOL, FLOAT, TENSOR, CONSTANT, DESCRIPTOR, TUPLE = range(10)
KIND_MASK = 0xF
DTYPE_SHIFT, DTYPE_MASK = 4, 0x1F
DIVISIBLE_BY_16 = 1 << 9
EQUAL_TO_ONE = 1 << 10
PADDED_WITH_NAN = 1 << 12
STRIDED = 1 << 13
FAR = 1 << 14
ALL_FACTS = 0xFFFF_FFFF

FIRST_ELEMENT = 1024
"""The number of the first element of a tuple; parameters have those below. As kMaxParameters in Launcher.h."""

MAX_PARAMETERS = 1000
"""Of a kernel. The launcher's options are parameters of its own."""

_SCALARS = {INT32: "i32", INT64: "i64", UINT64: "u64", BOOL: "i1", FLOAT: "fp32"}
_FLOAT_ENCODINGS = {"fp16": "h", "bf16": "b", "fp32": "f", "fp64": "d"}
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
    """What an annotation asks for: a type's name such as ``i64`` or ``*fp32``; ``const`` for any read-only pointer."""

    type: str | None = None

    @property
    def letter(self) -> str:
        """The class the launcher checks: pointer, integer, float, or anything."""
        if self.type is None:
            return "n"
        if self.type == "const" or self.type.startswith("*"):
            return "p"
        return "f" if self.type in _FLOAT_ENCODINGS else "i"


def wanted(annotation: object) -> Wanted:
    """Reads an annotation: ``tl.int64``, ``"i64"``, ``"*fp32"``, ``tl.const``. Any other says nothing to us."""
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


def row(parameter: Declared, fallback: tuple[object, ...], is_specialized: bool = True, is_aligned: bool = True) -> Row:
    """How the launcher is told of a parameter."""
    want = wanted(parameter.annotation)
    mask = ALL_FACTS
    if not is_specialized or want.letter in "if":
        mask &= ~EQUAL_TO_ONE
    if not is_specialized or not is_aligned:
        mask &= ~DIVISIBLE_BY_16
    role = CONSTEXPR if parameter.is_constexpr else RUNTIME
    # Triton's own parameters do not say it: its binder has made a tuple of what they take.
    variadic = getattr(parameter, "variadic", False)
    letter = "v" if variadic else "n" if parameter.is_constexpr else want.letter
    return (parameter.name, role, fallback, mask & ALL_FACTS, letter)


def type_of(fact: int, value: object = None) -> str | None:
    """The type of an argument without annotation; None for None. Of a descriptor ``value`` tells the block."""
    kind = fact & KIND_MASK
    if kind not in (TENSOR, DESCRIPTOR):
        return _SCALARS.get(kind)
    element = _runtime.DTYPES[(fact >> DTYPE_SHIFT) & DTYPE_MASK]
    if kind == TENSOR:
        return "*" + element
    sizes = ",".join(str(int(size)) for size in getattr(value, "block_shape", ()))
    return f"tensordesc<{element}[{sizes}]{',nan' * bool(fact & PADDED_WITH_NAN)}>"


def is_too_wide(declared: str | None, fact: int) -> bool:
    """Whether an integer needs more bits than its declared type has. Below 32 bits nobody looks at the value."""
    return declared in ("i8", "i16", "i32") and fact & KIND_MASK in (INT64, UINT64)


@dataclass(frozen=True)
class Draft:
    """A Specialization that is being made."""

    types: dict[str, str] = field(default_factory=dict)
    constants: dict[str, object] = field(default_factory=dict)
    divisibility: dict[str, int] = field(default_factory=dict)
    tuples: dict[str, Any] = field(default_factory=dict)

    def specialization(self) -> Specialization:
        return Specialization(self.types, self.constants, self.divisibility, self.tuples)


Facts = int | tuple[Any, ...]
"""What the launcher read of an argument; of a tuple a tuple of its elements' facts."""


def specialize(
    parameters: Sequence[Declared],
    values: Sequence[object],
    facts: Sequence[Facts],
    refuse: Callable[[str, str, object], None],
) -> Specialization:
    """What to compile for these arguments. ``refuse`` is called where one contradicts its annotation."""
    found = Draft()
    for parameter, value, fact in zip(parameters, values, facts, strict=False):
        name = parameter.name
        if parameter.is_constexpr:
            found.constants[name] = unwrap(value)
        elif isinstance(fact, tuple):
            found.tuples[name] = _specialize_tuple(found, name, value, fact)
        else:
            want, met = wanted(parameter.annotation), type_of(fact, value)
            if met and want.letter == "p" and want.type not in ("const", met, met.replace("*", "*k")):
                refuse("declared dtype", name, value)
            if is_too_wide(want.type, fact):
                refuse("declared value", name, value)
            if fact & KIND_MASK == DESCRIPTOR:
                _check_block(name, value, str(met), refuse)
            _specialize_value(found, name, value, fact, want.type)
    return found.specialization()


def _check_block(name: str, value: object, described: str, refuse: Callable[[str, str, object], None]) -> None:
    """Refuses a descriptor, of another class than ours, whose block no kernel can load."""
    try:
        tensor_descriptor_type.parse(described)
    except TypeMismatchError as error:
        refuse(f"unreadable: {error.message}", name, value)


def _specialize_value(found: Draft, name: str, value: object, fact: int, declared: str | None) -> None:
    met = type_of(fact, value)
    if met is None or fact & EQUAL_TO_ONE:
        found.constants[name] = unwrap(value) if fact & KIND_MASK == CONSTANT else None if met is None else 1
        return
    found.types[name] = met.replace("*", "*k") if declared == "const" else declared or met
    if fact & DIVISIBLE_BY_16 and fact & KIND_MASK != DESCRIPTOR:
        found.divisibility[name] = 16


def _specialize_tuple(found: Draft, name: str, value: Any, facts: tuple[Any, ...]) -> Any:
    """Each element on its own. Gives the names of the elements."""
    names = element_names(name, len(value))
    items: list[Any] = []
    for element, item, fact in zip(names, value, facts, strict=True):
        if isinstance(fact, tuple):
            items.append(_specialize_tuple(found, element, item, fact))
        else:
            _specialize_value(found, element, item, fact, None)
            items.append(element)
    return like(value, items)


def element_names(name: str, count: int) -> list[str]:
    """What the elements of a tuple are called, in messages too."""
    return [f"{name}[{index}]" for index in range(count)]


def like(value: Any, items: Sequence[Any]) -> Any:
    """A named tuple of the same type; of any other tuple, such as a tensor's shape, a plain one."""
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def _elements(names: Any) -> Iterator[str]:
    for element in names:
        if isinstance(element, tuple):
            yield from _elements(element)
        else:
            yield element


def numbered(names: Sequence[str], tuples: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Parameters, or instead of one its elements, with the numbers that the launcher gives them."""
    places: list[tuple[int, str]] = []
    element = itertools.count(FIRST_ELEMENT)
    for index, name in enumerate(names):
        if name in tuples:
            places += [(next(element), each) for each in _elements(tuples[name])]
        else:
            places.append((index, name))
    return places


def flat(
    names: Sequence[str], tuples: Mapping[str, Any], values: Sequence[Any], facts: Sequence[Facts]
) -> Iterator[tuple[Any, int]]:
    """Values and facts of what ``numbered`` numbers, in its order."""
    for name, value, fact in zip(names, values, facts, strict=False):
        if name in tuples and isinstance(fact, tuple):
            elements = element_names(name, len(fact))
            yield from flat(elements, dict.fromkeys(elements), value, fact)
        else:
            yield value, fact if isinstance(fact, int) else 0


def slots(
    names: Sequence[str],
    types: Mapping[str, str],
    heads: Sequence[str] = (),
    tuples: Mapping[str, Any] = MappingProxyType({}),
) -> list[tuple[int, str]]:
    """How the launcher packs arguments: their numbers and encodings, for those the kernel takes at run time.

    ``heads`` says for each tensor descriptor what stands before its extents and strides. On a CPU, and without it, that
    is ``n``, the base; see ``compiler/descriptors.py`` for GPUs.
    """
    packed: list[tuple[int, str]] = []
    remaining = iter(heads)
    for index, name in numbered(names, tuples):
        if name not in types:
            continue
        described = tensor_descriptor_type.parse(types[name])
        if described is not None:
            rank = len(described.block_type.shape)
            packed += [(index, encoding) for encoding in _parts(next(remaining, "n"), rank)]
        else:
            # All but floats is as wide as its slot, or its low bytes.
            packed.append((index, _FLOAT_ENCODINGS.get(types[name], "n")))
    if len(packed) > FIRST_ELEMENT:
        raise LaunchError(
            f"the arguments of a kernel are at most {FIRST_ELEMENT} values, got {len(packed)}",
            location=caller(),
            hint="a tensor descriptor counts with each of its extents and strides; pass numbers in a tensor",
        )
    return packed


def first_slots(slots: Sequence[tuple[int, str]]) -> dict[int, int]:
    """The place of each argument among the slots; of a tensor descriptor that of its base, which comes first."""
    places: dict[int, int] = {}
    for at, (index, _) in enumerate(slots):
        places.setdefault(index, at)
    return places


def _parts(head: str, rank: int) -> list[str]:
    """A descriptor's slots. Where flags follow its base, Triton passes all of it, then extents and strides again."""
    sizes = [f"{letter}{dimension}" for letter in "es" for dimension in range(rank)]
    return [head, *sizes] if len(head) == 1 else [head[0], *sizes, *list(head[1:]), *sizes]
