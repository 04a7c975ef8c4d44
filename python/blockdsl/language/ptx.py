"""What instructions of PTX compute, for the interpreter: texts without conditions and branches.

Registers are unsigned blocks of their width. An instruction sees one as lanes of its type, and is written with the
functions of the language; a CPU's compiler knows the same ones (`tt-read-assembly`).
"""

from __future__ import annotations

import re
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import expects
from . import types
from .attributes import PropagateNan
from .cast import cast
from .creation import full
from .math import abs, ceil, cos, exp2, floor, fma, log2, rsqrt, sin, sqrt
from .select import maximum, minimum, where
from .tensor import tensor
from .types import dtype

Block = Any
"""A tensor: mypy does not know its operators, which are the language's functions."""
REGISTERS = {8: types.uint8, 16: types.uint16, 32: types.uint32, 64: types.uint64}
_FLOATS = {"f16": types.float16, "bf16": types.bfloat16, "f32": types.float32, "f64": types.float64}
_PAIRS = {**_FLOATS, "e4m3": types.float8e4nv, "e5m2": types.float8e5}
_NUMBERS = {f"{sign}{width}": kind for width, kind in REGISTERS.items() for sign in "bu"}
_NUMBERS |= {f"s{width}": kind for width, kind in
             {8: types.int8, 16: types.int16, 32: types.int32, 64: types.int64}.items()}  # fmt: skip


Meaning = Callable[..., Any]


@dataclass(frozen=True)
class Lanes:
    """What bits are taken for. Without an element they are numbers of four bits."""

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


def _lanes(suffix: str) -> Lanes | None:
    if suffix == "e2m1x2":
        return Lanes(suffix, None, 4, 2)
    paired = suffix.endswith("x2")
    element = _PAIRS.get(suffix[:-2]) if paired else {**_FLOATS, **_NUMBERS}.get(suffix)
    return Lanes(suffix, element, element.primitive_bitwidth, 2 if paired else 1) if element else None


def take_apart(register: Block, width: int, count: int) -> list[Block]:
    """The lanes of a register as unsigned numbers, the first from the low bits; narrower ones than a byte in bytes."""
    whole = register.dtype
    mask = (1 << width) - 1
    parts = [(register >> (at * width)) & mask if whole.primitive_bitwidth > width else register for at in range(count)]
    return [_resized(part, max(width, 8)) for part in parts]


def put_together(lanes: Sequence[Block], width: int, whole: int) -> Block:
    """The inverse."""
    result = _resized(lanes[0], whole)
    for at, lane in enumerate(lanes[1:], 1):
        result = result | (_resized(lane, whole) << (at * width))
    return result


def _resized(bits: Block, width: int) -> Block:
    made: Block = cast(cast(bits, REGISTERS[bits.dtype.primitive_bitwidth], bitcast=True), REGISTERS[width])
    return made


def run(text: str, registers: dict[str, Block]) -> None:
    """Runs a text on registers by name, which it changes. Raises TypeMismatchError for what is not read."""
    _Program(registers).run(text)


class _Program:
    def __init__(self, registers: dict[str, Block]) -> None:
        self.registers = registers
        self.shape = next(iter(registers.values())).shape

    def run(self, text: str) -> None:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
        for statement in text.split(";"):
            line = statement.strip(" \t\r\n{")
            while line.count("}") > line.count("{"):
                # One scope may end, and another begin, before a statement.
                line = line.partition("}")[2].strip(" \t\r\n{") if line.startswith("}") else line.rstrip("} \t\r\n")
            if line.startswith(".reg"):
                self._declare(line)
            elif line:
                self._step(line)

    def _declare(self, line: str) -> None:
        match = re.match(r"\.reg\s+\.[busf](\d+)\s+(.*)", line, re.DOTALL)
        expects(match and int(match[1]) in REGISTERS, f"'inline_asm_elementwise' does not read '{line}'")
        assert match
        for name in match[2].split(","):
            stem, _, count = name.strip().rstrip(">").partition("<")
            names = [f"{stem}{at}" for at in range(int(count))] if count else [stem]
            self.registers |= {each: full(self.shape, 0, REGISTERS[int(match[1])]) for each in names}

    def _step(self, line: str) -> None:
        match = re.match(r"([a-z]\w*)((?:\.\w+)*)(?:\s+|(?={))(.*)", line, re.DOTALL)
        expects(match, f"'inline_asm_elementwise' does not read '{line}'", hint=_HINT)
        assert match
        suffixes = match[2].split(".")[1:]
        kinds = [kind for kind in map(_lanes, suffixes) if kind]
        words = [suffix for suffix in suffixes if not _lanes(suffix)]
        operands = [each.strip() for each in re.findall(r"\{[^}]*\}|[^,\s][^,]*", match[3])]
        result = None
        if match[1] == "mov" and len(kinds) == 1 and not words and len(operands) == 2:
            result = self._moved(operands, kinds[0])
        elif match[1] == "cvt" and len(kinds) == 2:
            result = self._converted(operands[1:], kinds[0], kinds[1], words)
        elif match[1] in _INSTRUCTIONS and len(kinds) == 1:
            result = self._computed(match[1], operands[1:], kinds[0], words)
        expects(result is not None, f"'inline_asm_elementwise' does not read '{line}'", hint=_HINT)
        if isinstance(result, tensor):
            self._assign(operands[0], result, signed=kinds[0].name.startswith("s"))

    def _moved(self, operands: list[str], kind: Lanes) -> Any:
        target, source = ([part.strip() for part in each.strip("{}").split(",")] for each in operands)
        if operands[1].startswith("{"):
            width = kind.bits // len(source)
            parts = [self._read(part, Lanes("", REGISTERS[width], width)) for part in source]
            return put_together(parts, width, kind.bits)
        bits = self._read(operands[1], kind)
        if not operands[0].startswith("{"):
            return bits
        for name, part in zip(target, take_apart(bits, kind.bits // len(target), len(target)), strict=True):
            self._assign(name, part)
        return True

    def _converted(self, sources: list[str], to: Lanes, origin: Lanes, words: list[str]) -> Block | None:
        if len(sources) != (to.count if origin.count == 1 else 1):
            return None
        # The first of two is the upper half.
        lanes = [lane for source in reversed(sources) for lane in self._lanes_of(source, origin)]
        converted = [_convert(lane, to, origin, [word for word in words if word != "ftz"]) for lane in lanes]
        read = [each for each in converted if each is not None]
        return _bits_of(read, to) if len(read) == len(lanes) else None

    def _computed(self, name: str, sources: list[str], kind: Lanes, words: list[str]) -> Block | None:
        allowed, meaning = _INSTRUCTIONS[name]
        if not set(words) <= set(allowed.split()) or kind.element is None:
            return None
        amount = Lanes("u32", types.uint32, 32)
        taken = [amount if at == 1 and name in ("shl", "shr") else kind for at in range(len(sources))]
        lanes = [self._lanes_of(source, each) for source, each in zip(sources, taken, strict=True)]
        try:
            results = [meaning(kind, words, *each) for each in zip(*lanes, strict=True)]
        except TypeError:  # another number of operands
            return None
        if any(each is None for each in results):
            return None
        return _bits_of([cast(each, kind.element) for each in results], kind)

    def _lanes_of(self, source: str, kind: Lanes) -> list[Block]:
        parts = take_apart(self._read(source, kind), kind.width, kind.count)
        return parts if kind.element is None else [cast(part, kind.element, bitcast=True) for part in parts]

    def _read(self, operand: str, kind: Lanes) -> Block:
        if operand in self.registers:
            return _resized(self.registers[operand], kind.bits)
        number = _special(operand) if operand.startswith("%") else _number(operand, kind)
        expects(number is not None, f"'inline_asm_elementwise' does not read '{operand}'", hint=_HINT)
        assert number is not None
        made: Block = full(self.shape, number & (1 << kind.bits) - 1, REGISTERS[kind.bits])
        return made

    def _assign(self, name: str, bits: Block, *, signed: bool = False) -> None:
        expects(name in self.registers, f"'inline_asm_elementwise' does not read '{name}'", hint=_HINT)
        target = self.registers[name].dtype
        if signed:
            bits = cast(bits, _NUMBERS[f"s{bits.dtype.primitive_bitwidth}"], bitcast=True)
            self.registers[name] = cast(bits, _NUMBERS[f"s{target.primitive_bitwidth}"])
        else:
            self.registers[name] = _resized(bits, target.primitive_bitwidth)


_HINT = "the functions of the language run everywhere"


def _bits_of(lanes: Sequence[Block], kind: Lanes) -> Block:
    bits = [cast(lane, REGISTERS[max(kind.width, 8)], bitcast=True) for lane in lanes]
    return put_together(bits, kind.width, kind.bits)


def _special(name: str) -> int | None:
    return time.monotonic_ns() if name in ("%globaltimer", "%clock64") else 0 if name == "%smid" else None


def _number(text: str, kind: Lanes) -> int | None:
    """17, 0x11, 0b10001, 0f3F800000, 0d3FF0000000000000, 1.0"""
    if re.fullmatch(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", text):
        return int(text[2:], 16)
    if kind.is_float and re.fullmatch(r"-?\d+\.\d*(e[+-]?\d+)?", text, re.IGNORECASE):
        code = {"f16": "<e", "f32": "<f", "f64": "<d"}.get(kind.name)
        return int.from_bytes(struct.pack(code, float(text)), "little") if code else None
    try:
        return int(text.removesuffix("U"), 8 if re.fullmatch(r"-?0[0-7]+U?", text) else 0)
    except ValueError:
        return None


def _convert(lane: Block, to: Lanes, origin: Lanes, words: list[str]) -> Block | None:
    saturated = "satfinite" in words
    rounding = "".join(word for word in words if word != "satfinite")
    # Floats of eight bits and less are cut off at the largest in any case; bits alone are no numbers.
    if saturated != (to.element is None or to.element.is_fp8()) or any(
        re.fullmatch(r"b\d+", kind.name) for kind in (to, origin)
    ):
        return None
    if to.element is None:
        return _encode(lane) if origin.name == "f32" and rounding == "rn" else None
    if origin.element is None:
        return _decode(lane) if to.name == "f16x2" and rounding == "rn" else None
    if origin.is_float and to.is_float:
        if to.width > origin.width and to.width > 16:
            return cast(lane, to.element) if not rounding else None
        if rounding not in ("rn", "rz") or to.element == origin.element:
            return None
        narrows = to.width < origin.width
        return cast(lane, to.element, fp_downcast_rounding={"rn": "rtne", "rz": "rtz"}[rounding] if narrows else None)
    if origin.is_float:
        wholes: dict[str, Meaning] = {"rzi": lambda x: x, "rni": _to_even, "rmi": floor, "rpi": ceil}
        whole = wholes.get(rounding)
        return cast(whole(cast(lane, types.float64)), to.element) if whole else None
    return cast(lane, to.element) if rounding == ("rn" if to.is_float else "") else None


def _to_even(x: Block) -> Block:
    near = floor(x)
    rest = x - near
    odd = near - floor(near * 0.5) * 2.0
    return where((rest > 0.5) | ((rest == 0.5) & (odd == 1.0)), near + 1.0, near)


def _encode(x: Block) -> Block:
    """A sign, two bits of exponent and one of mantissa: 0, 0.5, 1, 1.5, 2, 3, 4 and 6. NaN becomes 6."""
    size = minimum(abs(x), 6.0)
    upper = where(size < 4.0, _to_even(size) + 2.0, _to_even(size * 0.5) + 4.0)
    code = where(size < 2.0, _to_even(size * 2.0), upper)
    sign = where(x == x, (cast(x, types.uint32, bitcast=True) >> 31) << 3, 0)
    return cast(cast(code, types.uint32) | cast(sign, types.uint32), types.uint8)


def _decode(code: Block) -> Block:
    """In a float16 these bits are what they stand for, but for the exponent's bias, which is 15 there and 1 here."""
    wide = cast(code, types.uint16)
    half = cast(((wide & 8) << 12) | ((wide & 7) << 9), types.float16, bitcast=True)
    return half * 16384.0


def _of_floats(function: Meaning) -> Meaning:
    def meaning(kind: Lanes, words: list[str], *x: Block) -> Any:
        wide = types.float64 if kind.width == 64 else types.float32
        return function(*(cast(each, wide) for each in x)) if kind.is_float else None

    return meaning


def _plain(function: Meaning) -> Meaning:
    return lambda kind, words, *x: function(*x)


def _permuted(x: Block, y: Block, selector: Block) -> Block:
    both = put_together([x, y], 32, 64)
    chosen = []
    for at in range(4):
        nibble = (selector >> (4 * at)) & 15
        byte = cast(both >> (cast(nibble & 7, types.uint64) << 3), types.uint8)
        sign = cast(cast(byte, types.int8, bitcast=True) >> 7, types.uint8, bitcast=True)
        chosen.append(where(nibble >= 8, sign, byte))
    return put_together(chosen, 8, 32)


def _looked_up(x: Block, y: Block, z: Block, table: Block) -> Block:
    result = x ^ x
    for row in range(8):
        term = ~result | result
        for at, each in enumerate((x, y, z)):
            term = term & (each if row >> (2 - at) & 1 else ~each)
        result = result | where((table >> row) & 1 == 1, term, 0)
    return result


def _extremum(function: Meaning) -> Meaning:
    def meaning(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
        every = {"propagate_nan": PropagateNan.ALL} if "NaN" in words else {}
        return function(x, y, **every)

    return meaning


_INSTRUCTIONS: dict[str, tuple[str, Meaning]] = {
    "abs": ("ftz", _plain(abs)),
    "add": ("rn ftz", _plain(lambda x, y: x + y)),
    "and": ("", _plain(lambda x, y: x & y)),
    "cos": ("approx ftz", _of_floats(cos)),
    "div": ("rn approx full ftz", _of_floats(lambda x, y: x / y)),
    "ex2": ("approx ftz", _of_floats(exp2)),
    "fma": ("rn ftz", _of_floats(fma)),
    "lg2": ("approx ftz", _of_floats(log2)),
    "lop3": ("", _plain(_looked_up)),
    "mad": ("lo", _plain(lambda x, y, z: x * y + z)),
    "max": ("ftz NaN", _extremum(maximum)),
    "min": ("ftz NaN", _extremum(minimum)),
    "mul": ("lo rn ftz", _plain(lambda x, y: x * y)),
    "neg": ("ftz", _plain(lambda x: -x)),
    "not": ("", _plain(lambda x: ~x)),
    "or": ("", _plain(lambda x, y: x | y)),
    "prmt": ("", _plain(_permuted)),
    "rcp": ("rn approx ftz", _of_floats(lambda x: 1.0 / x)),
    "rsqrt": ("approx ftz", _of_floats(rsqrt)),
    "shl": ("", lambda kind, words, x, amount: x << _amount(kind, amount)),
    "shr": ("", lambda kind, words, x, amount: x >> _amount(kind, amount)),
    "sin": ("approx ftz", _of_floats(sin)),
    "sqrt": ("rn approx ftz", _of_floats(sqrt)),
    "sub": ("rn ftz", _plain(lambda x, y: x - y)),
    "tanh": ("approx", _of_floats(lambda x: tensor(np.tanh(x.handle), x.type))),
    "xor": ("", _plain(lambda x, y: x ^ y)),
}
"""The words that an instruction may be given besides a type, and what it computes from a lane of each operand."""


def _amount(kind: Lanes, amount: Block) -> Block:
    return cast(minimum(amount, kind.width), _NUMBERS[f"u{kind.width}"])
