"""Signatures of compiled kernels: types of the run-time parameters, and how a launch packs their arguments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from blockdsl.errors import LaunchError
from blockdsl.errors.source_locations import caller
from blockdsl.forks import cached_property
from blockdsl.frontend.source import Specialization
from blockdsl.language.constexpr import unwrap
from blockdsl.language.descriptor import tensor_descriptor_type

FIRST_ELEMENT = 1024
"""The index of the first tuple element; parameters have lower indices. Equals kMaxParameters in Launcher.h."""

FLOAT_ENCODINGS = {"fp16": "h", "bf16": "b", "fp32": "f", "fp64": "d"}


@dataclass(frozen=True)
class Signature:
    """The run-time parameters of a compiled kernel.

    Attributes:
        names: The kernel's parameters in the order of a launch, including constants.
        types: The types of the run-time parameters in Triton's notation, by name.
        divisibility: The divisors that the code relies on, by name.
        constants: The values of the other parameters, by name.
        is_signless: The types come from a module, whose integers have no sign.
        tuples: For each parameter that is a tuple, the names of its elements in a tuple of the same structure. They
            are keys of the mappings above.
    """

    names: tuple[str, ...]
    types: Mapping[str, str]
    divisibility: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, object] = field(default_factory=dict)
    is_signless: bool = False
    tuples: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def places(self) -> list[tuple[int, str]]:
        """The parameters with the indices that the launcher gives them; tuples are replaced by their elements."""
        return numbered(self.names, self.tuples)

    @cached_property
    def slots(self) -> list[tuple[int, str]]:
        """The packing of arguments for a launch on a CPU."""
        return slots(self.names, self.types, tuples=self.tuples)

    def accepts(self, declared: str, actual: str | None) -> bool:
        """Returns whether a pointer or descriptor of type ``met`` can be passed for one of type ``declared``."""
        if actual is None:
            return False
        declared = declared.replace("*k", "*").replace(" ", "")
        return actual == declared or (self.is_signless and _in_module(actual) == _in_module(declared))


def _in_module(kind: str) -> str:
    """Returns a module's spelling of a pointer or descriptor type: without signs, and with i8 for fp8e4b15."""
    signless = kind.replace("*u", "*i").replace("<u", "<i").replace("fp8e4b15", "i8")
    # A bool is a byte in memory.
    return "*i8" if signless == "*i1" else signless


@dataclass(frozen=True)
class Draft:
    """A Specialization under construction."""

    types: dict[str, str] = field(default_factory=dict)
    constants: dict[str, object] = field(default_factory=dict)
    divisibility: dict[str, int] = field(default_factory=dict)
    tuples: dict[str, Any] = field(default_factory=dict)

    def specialization(self) -> Specialization:
        return Specialization(self.types, self.constants, self.divisibility, self.tuples)


def element_names(name: str, count: int) -> list[str]:
    """Returns the names of a tuple's elements, which messages show."""
    return [f"{name}[{index}]" for index in range(count)]


def like(value: Any, items: Sequence[Any]) -> Any:
    """Returns the items as a named tuple of the same type; for other tuples, such as a tensor's shape, as a tuple."""
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def _elements(names: Any) -> Iterator[str]:
    for element in names:
        if isinstance(element, tuple):
            yield from _elements(element)
        else:
            yield element


def numbered(names: Sequence[str], tuples: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Returns the parameters with the indices that the launcher gives them; tuples are replaced by their elements."""
    numbered_names: list[tuple[int, str]] = []
    element = itertools.count(FIRST_ELEMENT)
    for index, name in enumerate(names):
        if name in tuples:
            numbered_names += [(next(element), each) for each in _elements(tuples[name])]
        else:
            numbered_names.append((index, name))
    return numbered_names


def slots(
    names: Sequence[str],
    types: Mapping[str, str],
    heads: Sequence[str] = (),
    tuples: Mapping[str, Any] = MappingProxyType({}),
) -> list[tuple[int, str]]:
    """Returns the packing of a launch's run-time arguments: the index and the encoding of each slot.

    ``heads`` has for each tensor descriptor the encodings before its extents and strides. The default, used on a CPU,
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
            # Pointers and integers fill their slot, or its low bytes.
            packed.append((index, FLOAT_ENCODINGS.get(types[name], "n")))
    if len(packed) > FIRST_ELEMENT:
        raise LaunchError(
            f"the arguments of a kernel are at most {FIRST_ELEMENT} values, got {len(packed)}",
            location=caller(),
            hint="a tensor descriptor counts with each of its extents and strides; pass numbers in a tensor",
        )
    return packed


def first_slots(slots: Sequence[tuple[int, str]]) -> dict[int, int]:
    """Returns the first slot of each argument; for a tensor descriptor this is the base."""
    first: dict[int, int] = {}
    for at, (index, _) in enumerate(slots):
        first.setdefault(index, at)
    return first


def _parts(head: str, rank: int) -> list[str]:
    """Returns a descriptor's slots. With flags, Triton passes base, sizes and flags, then the sizes again."""
    sizes = [f"{letter}{dimension}" for letter in "es" for dimension in range(rank)]
    return [head, *sizes] if len(head) == 1 else [head[0], *sizes, *list(head[1:]), *sizes]


def parse_signature(
    kernel: str, parameters: Sequence[str], signature: Mapping[str, Any], constants: Mapping[str, object]
) -> Specialization:
    """Parses a signature written by hand: ``{"x": "*fp32:16", "n": "i32"}``, divisibility after the colon. Elements of
    a tuple that are not strings are constants.

    Raises:
        LaunchError: The signature or the constants are no mapping, contain an unknown parameter, share a parameter, or
            have no number after a colon.
    """
    for title, given in (("signature", signature), ("constexprs", constants)):
        if not isinstance(given, Mapping):
            raise LaunchError(
                f"the {title} of kernel '{kernel}' is expected to be a dict by the names of parameters, got {given!r}",
                hint=f"its parameters are {', '.join(parameters)}",
            )
        for name in given:
            if name not in parameters:
                raise LaunchError(
                    f"kernel '{kernel}' has no parameter '{name}', which the {title} names",
                    hint=f"its parameters are {', '.join(parameters)}",
                )
    for name in signature:
        if name in constants:
            raise LaunchError(
                f"parameter '{name}' of kernel '{kernel}' has type {signature[name]!r} in the signature, and value "
                f"{constants[name]!r} in the constexprs",
                hint="what has a value is no run-time parameter",
            )
    read = Draft(constants=dict(constants))
    for name in parameters:
        if name in signature:
            elements = _parse(read, name, signature[name])
            if isinstance(elements, tuple):
                read.tuples[name] = elements
    return read.specialization()


def _parse(read: Draft, name: str, spelling: Any) -> Any:
    """Adds the type of a parameter or of its elements. Returns its name, or the names of the elements."""
    if isinstance(spelling, tuple):
        named = zip(element_names(name, len(spelling)), spelling, strict=True)
        return like(spelling, [_parse(read, element, item) for element, item in named])
    if not isinstance(spelling, str):
        read.constants[name] = unwrap(spelling)
        return name
    kind, colon, divisor = spelling.partition(":")
    read.types[name] = kind.strip()
    if colon:
        if not divisor.strip().isdecimal() or int(divisor) == 0:
            raise LaunchError(
                f"after the colon of '{name}' a number is expected that its values are multiples of, got {spelling!r}",
                hint=f'as in "{kind.strip()}:16"',
            )
        read.divisibility[name] = int(divisor)
    return name
