"""From what the launcher read of the arguments to what a kernel is compiled for.

The launcher (lib/Bindings/Python/LaunchArguments.h) describes each argument by a *fact*, an integer of the fields
below. This module gives the facts Triton's meaning: an integer equal to 1 and None become constants, divisibility by 16
becomes an attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from blockdsl import _runtime
from blockdsl.frontend.source import Specialization
from blockdsl.language.constexpr import unwrap
from blockdsl.language.descriptor import tensor_descriptor_type

# Roles of parameters, and fields of facts: as in LaunchArguments.h and Launcher.h.
RUNTIME, CONSTEXPR, OPTION, IGNORED, GPU_OPTION = range(5)
NONE, INT32, INT64, UINT64, BOOL, FLOAT, TENSOR, CONSTANT, DESCRIPTOR = range(9)
KIND_MASK = 0xF
DTYPE_SHIFT = 4
DIVISIBLE_BY_16 = 1 << 8
EQUAL_TO_ONE = 1 << 9
PADDED_WITH_NAN = 1 << 11
ALL_FACTS = 0xFFFF_FFFF

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
    return (parameter.name, role, fallback, mask & ALL_FACTS, "n" if parameter.is_constexpr else want.letter)


def type_of(fact: int, value: object = None) -> str | None:
    """The type of an argument without annotation; None for None. Of a descriptor ``value`` tells the block."""
    kind = fact & KIND_MASK
    if kind not in (TENSOR, DESCRIPTOR):
        return _SCALARS.get(kind)
    element = _runtime.DTYPES[(fact >> DTYPE_SHIFT) & 0xF]
    if kind == TENSOR:
        return "*" + element
    sizes = ",".join(str(int(size)) for size in getattr(value, "block_shape", ()))
    return f"tensordesc<{element}[{sizes}]{',nan' * bool(fact & PADDED_WITH_NAN)}>"


def is_too_wide(declared: str | None, fact: int) -> bool:
    """Whether an integer needs more bits than its declared type has. Below 32 bits nobody looks at the value."""
    return declared in ("i8", "i16", "i32") and fact & KIND_MASK in (INT64, UINT64)


def specialize(
    parameters: Sequence[Declared],
    values: Sequence[object],
    facts: Sequence[int],
    refuse: Callable[[str, str, object], None],
) -> Specialization:
    """What to compile for these arguments. ``refuse`` is called where one contradicts its annotation."""
    types: dict[str, str] = {}
    constants: dict[str, object] = {}
    divisibility: dict[str, int] = {}
    for parameter, value, fact in zip(parameters, values, facts, strict=False):
        name = parameter.name
        want = wanted(parameter.annotation)
        met = type_of(fact, value)
        if parameter.is_constexpr:
            constants[name] = unwrap(value)
            continue
        if met is None or fact & EQUAL_TO_ONE:
            constants[name] = None if met is None else 1
            continue
        if want.letter == "p" and want.type not in ("const", met, met.replace("*", "*k")):
            refuse("declared dtype", name, value)
        if is_too_wide(want.type, fact):
            refuse("declared value", name, value)
        types[name] = met.replace("*", "*k") if want.type == "const" else want.type or met
        if fact & DIVISIBLE_BY_16 and fact & KIND_MASK != DESCRIPTOR:
            divisibility[name] = 16
    return Specialization(types=types, constants=constants, divisibility=divisibility)


def slots(names: Sequence[str], types: Mapping[str, str], heads: Sequence[str] = ()) -> list[tuple[int, str]]:
    """How the launcher packs arguments: parameter's index and encoding, for those the kernel takes at run time.

    ``heads`` says for each tensor descriptor what stands before its extents and strides. On a CPU, and without it, that
    is ``n``, the base; see ``compiler/descriptors.py`` for GPUs.
    """
    packed: list[tuple[int, str]] = []
    remaining = iter(heads)
    for index, name in enumerate(names):
        if name not in types:
            continue
        described = tensor_descriptor_type.parse(types[name])
        if described is not None:
            rank = len(described.block_type.shape)
            packed += [(index, encoding) for encoding in _parts(next(remaining, "n"), rank)]
        else:
            # All but floats is as wide as its slot, or its low bytes.
            packed.append((index, _FLOAT_ENCODINGS.get(types[name], "n")))
    return packed


def first_slots(slots: Sequence[tuple[int, str]]) -> dict[int, int]:
    """The place of each parameter among the slots; of a tensor descriptor that of its base, which comes first."""
    places: dict[int, int] = {}
    for at, (index, _) in enumerate(slots):
        places.setdefault(index, at)
    return places


def _parts(head: str, rank: int) -> list[str]:
    """A descriptor's slots. Where flags follow its base, Triton passes all of it, then extents and strides again."""
    sizes = [f"{letter}{dimension}" for letter in "es" for dimension in range(rank)]
    return [head, *sizes] if len(head) == 1 else [head[0], *sizes, *list(head[1:]), *sizes]
