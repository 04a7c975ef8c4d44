"""Registers of PTX in the interpreter: unsigned blocks of their width, and the types that instructions read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import types
from .cast import cast
from .types import dtype

Block = Any
"""A tensor. It is Any because mypy does not know its operators, which are functions of the language."""
REGISTERS = {1: types.int1, 8: types.uint8, 16: types.uint16, 32: types.uint32, 64: types.uint64}
"""The type of registers by width. A predicate is a register of one bit."""
FLOATS = {"f16": types.float16, "bf16": types.bfloat16, "f32": types.float32, "f64": types.float64}
_SMALL: dict[str, tuple[dtype | None, int]] = {
    "e4m3": (types.float8e4nv, 8), "e5m2": (types.float8e5, 8), "e2m1": (None, 4),
    "e2m3": (None, 8), "e3m2": (None, 8), "ue8m0": (None, 8),
}  # fmt: skip
"""The element type, if the language has it, and the bits of a lane."""
NUMBERS = {f"{sign}{width}": kind for width, kind in REGISTERS.items() for sign in "bu" if width > 1}
NUMBERS |= {f"s{width}": kind for width, kind in
            {8: types.int8, 16: types.int16, 32: types.int32, 64: types.int64}.items()}  # fmt: skip


@dataclass(frozen=True)
class Lanes:
    """The type in which an instruction reads a register: ``f16x2`` is two lanes, the first in the low bits.

    Minifloats, scales and tf32 have no element type.
    """

    name: str
    element: dtype | None
    width: int
    count: int = 1

    @property
    def bits(self) -> int:
        return self.width * self.count

    @property
    def is_float(self) -> bool:
        return self.element is not None and self.element.is_floating()

    @property
    def is_bits(self) -> bool:
        return self.name == "pred" or (self.name.startswith("b") and not self.is_float)

    @property
    def is_minifloat(self) -> bool:
        """Whether it is a float of 4 or 6 bits."""
        return self.name.partition("x")[0] in ("e2m1", "e2m3", "e3m2")

    @property
    def is_scale(self) -> bool:
        """Whether it is a power of two of 8 bits."""
        return self.name == "ue8m0x2"

    @property
    def is_small(self) -> bool:
        """Whether it is a float of at most 8 bits. Conversions to it saturate."""
        return self.is_minifloat or (self.is_float and self.width == 8)

    @property
    def is_signed(self) -> bool:
        return self.name.startswith("s")


PREDICATE = Lanes("pred", types.int1, 1)
AMOUNT = Lanes("u32", types.uint32, 32)
ADDRESS = Lanes("u64", types.uint64, 64)


def parse(suffix: str) -> Lanes | None:
    """Parses a type suffix such as ``f16x2``. Returns None for other texts."""
    if suffix == "pred":
        return PREDICATE
    if suffix == "tf32":
        return Lanes(suffix, None, 32)
    stem, _, count = suffix.rpartition("x")
    if stem in _SMALL and count in ("2", "4"):
        element, width = _SMALL[stem]
        fours = stem != "ue8m0"
        return Lanes(suffix, element, width, int(count)) if count == "2" or fours else None
    paired = count == "2" and stem in FLOATS
    number = FLOATS.get(stem) if paired else {**FLOATS, **NUMBERS}.get(suffix)
    lanes = Lanes(suffix, number, number.primitive_bitwidth, 2 if paired else 1) if number else None
    return lanes if lanes and lanes.bits <= 64 else None


def take_apart(register: Block, width: int, count: int) -> list[Block]:
    """Returns the lanes of a register as unsigned numbers of at least 8 bits, the first from the low bits."""
    whole = register.dtype
    mask = (1 << width) - 1
    if whole.is_bool():
        return [register]
    parts = [(register >> (at * width)) & mask if whole.primitive_bitwidth > width else register for at in range(count)]
    return [resized(part, max(width, 8)) for part in parts]


def put_together(lanes: Sequence[Block], width: int, whole: int) -> Block:
    """Packs lanes into a register: the inverse of ``take_apart``."""
    result = resized(lanes[0], whole)
    for at, lane in enumerate(lanes[1:], 1):
        result = result | (resized(lane, whole) << (at * width))
    return result


def resized(bits: Block, width: int) -> Block:
    """Truncates or zero extends a register to another width."""
    if bits.dtype.is_bool() and width == 1:
        return bits
    made: Block = cast(cast(bits, REGISTERS[bits.dtype.primitive_bitwidth], bitcast=True), REGISTERS[width])
    return made


def bits_of(lanes: Sequence[Block], kind: Lanes) -> Block:
    """Returns the register with the given lanes."""
    if kind.width == 1:
        return lanes[0]
    bits = [cast(lane, REGISTERS[max(kind.width, 8)], bitcast=True) for lane in lanes]
    return put_together(bits, kind.width, kind.bits)
