"""PTX interpreter for texts without branches. ptx_instructions.py has the instructions.

An instruction reads a register as lanes of its type. The CPU's compiler supports the same texts (`tt-read-assembly`).
"""

from __future__ import annotations

import functools
import re
import struct
import time
from typing import Any

from ..errors import expects
from .cast import cast
from .creation import full
from .program import num_programs, program_id
from .ptx_conversions import convert
from .ptx_instructions import INSTRUCTIONS, compare
from .ptx_integers import byte_products
from .ptx_lanes import (
    ADDRESS,
    AMOUNT,
    NUMBERS,
    PREDICATE,
    REGISTERS,
    Block,
    Lanes,
    bits_of,
    parse,
    put_together,
    resized,
    take_apart,
)  # fmt: skip
from .ptx_minifloats import random_fraction
from .ptx_order import named, only_orders
from .ptx_replacements import hint
from .ptx_rounding import DIRECTIONS, in_direction
from .select import where
from .tensor import tensor


def run(text: str, registers: dict[str, Block], immediates: dict[str, int]) -> None:
    """Runs a text on named registers, which it modifies, and on named numbers.

    Raises TypeMismatchError for unsupported text.
    """
    _Program(registers, immediates).run(text)


class _Program:
    def __init__(self, registers: dict[str, Block], immediates: dict[str, int]) -> None:
        self.registers = registers
        self.immediates = immediates
        self.shape = next(iter(registers.values())).shape
        self.predicate: Block | None = None

    def run(self, text: str) -> None:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
        for statement in text.split(";"):
            line = statement.strip(" \t\r\n{")
            while line.count("}") > line.count("{"):
                # Scopes may end and begin before a statement.
                line = line.partition("}")[2].strip(" \t\r\n{") if line.startswith("}") else line.rstrip("} \t\r\n")
            if line.startswith(".reg"):
                self._declare(line)
            elif line:
                self._step(line)

    def _declare(self, line: str) -> None:
        match = re.match(r"\.reg\s+\.(?:pred|[busf](\d+))\s+(.*)", line, re.DOTALL)
        width = int(match[1] or 1) if match else 0
        expects(width in REGISTERS, f"'inline_asm_elementwise' does not read '{line}'")
        assert match
        for name in match[2].split(","):
            stem, _, count = name.strip().rstrip(">").partition("<")
            names = [f"{stem}{at}" for at in range(int(count))] if count else [stem]
            self.registers |= {each: full(self.shape, 0, REGISTERS[width]) for each in names}

    def _step(self, line: str) -> None:
        match = re.match(r"(?:@(!?\s*[^\s;]+)\s+)?([a-z]\w*)((?:\.(?:\w|::)+)*)(?:\s+|(?={)|$)(.*)", line, re.DOTALL)
        expects(match, f"'inline_asm_elementwise' does not read '{line}'", hint=hint(""))
        assert match
        self.predicate = self._predicate(match[1]) if match[1] else None
        name, suffixes = match[2], match[3].split(".")[1:]
        kinds = [kind for kind in map(parse, suffixes) if kind]
        words = [suffix for suffix in suffixes if not parse(suffix)]
        operands = [each.strip() for each in re.findall(r"\{[^}]*\}|[^,\s][^,]*", match[4])]
        if only_orders(name + match[3], len(operands)):
            for operand in operands:
                self._read(named(operand), ADDRESS)
            return
        result = None
        if name == "mov" and len(kinds) == 1 and not words and len(operands) == 2:
            result = self._moved(operands, kinds[0])
        elif name == "cvt" and len(kinds) == 2:
            result = self._converted(operands[1:], kinds[0], kinds[1], words)
        elif name in _OF_TWO_TYPES and len(kinds) == 2:
            result = _OF_TWO_TYPES[name](self, operands, kinds, words)
        elif name == "setp" and len(kinds) == 1:
            result = self._compared(operands, kinds[0], words)
        elif name in INSTRUCTIONS and len(kinds) == 1:
            result = self._computed(name, operands[1:], kinds[0], words)
        expects(result is not None, f"'inline_asm_elementwise' does not read '{line}'", hint=hint(name + match[3]))
        if isinstance(result, tensor):
            self._assign(operands[0], result, signed=kinds[0].is_signed)

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
        random = self._read(sources.pop(), AMOUNT) if "rs" in words and len(sources) > 1 else None
        if len(sources) == 1 and sources[0].startswith("{"):
            if to.count != 4:
                return None
            sources = [part.strip() for part in sources[0].strip("{}").split(",")]
        elif to.count == 4:
            return None
        if len(sources) != (to.count if origin.count == 1 else 1) or ("rs" in words) != (random is not None):
            return None
        if origin.count != 1 and origin.count != to.count:
            return None
        # The first of several sources is the upper part.
        lanes = [lane for source in reversed(sources) for lane in self._lanes_of(source, origin)]
        converted = []
        for at, lane in enumerate(lanes):
            fraction = None if random is None else random_fraction(random, to, at)
            if random is not None and fraction is None:
                return None
            converted.append(convert(lane, to, origin, words, fraction))
        read = [each for each in converted if each is not None]
        return bits_of(read, to) if len(read) == len(lanes) else None

    def _byte_products(self, operands: list[str], kinds: list[Lanes], words: list[str]) -> Block | None:
        if len(operands) != 4 or any(kind.is_bits or kind.is_float or kind.bits != 32 for kind in kinds):
            return None
        x, y, z = (self._read(source, AMOUNT) for source in operands[1:])
        return byte_products(x, y, z, (kinds[0].is_signed, kinds[1].is_signed), *words)

    def _products_of_four(self, operands: list[str], kinds: list[Lanes], words: list[str]) -> Block | None:
        """``dp4a.s32.u32 d, a, b, c``"""
        return None if words else self._byte_products(operands, kinds, words)

    def _products_of_two(self, operands: list[str], kinds: list[Lanes], words: list[str]) -> Block | None:
        """``dp2a.lo.s32.u32 d, a, b, c``"""
        return self._byte_products(operands, kinds, words) if words in (["lo"], ["hi"]) else None

    def _compared(self, operands: list[str], kind: Lanes, words: list[str]) -> Any:
        """Runs ``setp.lt.and.f32 p|q, a, b, !c``: ``q`` is the negated result, for pairs that of the second lanes."""
        targets = [each.strip() for each in operands[0].split("|")]
        if len(targets) > 2 or (len(targets) == 1 and kind.count == 2):
            return None
        results = self._comparison(operands, kind, words, with_contrary=True)
        if results is None:
            return None
        for name, result in zip(targets, results, strict=False):
            if name != "_":
                self._assign(name, result)
        return True

    def _comparison(self, operands: list[str], kind: Lanes, words: list[str], with_contrary: bool) -> Any:
        """Returns the results of a comparison by lane, with the negated one for a single lane, combined with a
        predicate."""
        modifiers = [word for word in words if word != "ftz"]
        if len(modifiers) not in (1, 2) or len(operands) != len(modifiers) + 2 or kind.bits < 16:
            return None
        pairs = zip(*(self._lanes_of(source, kind) for source in operands[1:3]), strict=True)
        results: list[Block] = [compare(modifiers[0], kind, x, y) for x, y in pairs]
        if any(each is None for each in results):
            return None
        if with_contrary and len(results) == 1:
            results.append(~results[0])
        if len(modifiers) == 2:
            other, combine = self._predicate(operands[3]), _COMBINED.get(modifiers[1])
            return None if combine is None else [combine(each, other) for each in results]
        return results

    def _compared_number(self, operands: list[str], kinds: list[Lanes], words: list[str]) -> Block | None:
        """Runs ``set.lt.u32.f32 d, a, b``: where the comparison is true, all bits are set, or a float is 1.0."""
        to, origin = kinds
        if origin.count == 2 and origin.width == 16 and not to.is_float and not to.is_small and to.bits == 32:
            to = Lanes("u16x2", REGISTERS[16], 16, 2)
        if to.is_bits or to.element is None or to.count != origin.count or to.width not in (16, 32):
            return None
        results = self._comparison(operands, origin, words, with_contrary=False)
        if results is None:
            return None
        true = full(self.shape, 1.0 if to.is_float else -1 if to.is_signed else 2**to.width - 1, to.element)
        return bits_of([where(each, true, full(self.shape, 0, to.element)) for each in results], to)

    def _chosen_by_sign(self, operands: list[str], kinds: list[Lanes], words: list[str]) -> Block | None:
        """Runs ``slct.u32.f32 d, a, b, c``: a where c is at least zero, and b where it is less or NaN."""
        kind, of_sign = kinds
        flushed = of_sign.name == "f32" and words == ["ftz"]
        if len(operands) != 4 or kind.count != 1 or kind.is_small or kind.bits < 16 or kind.element is None:
            return None
        if of_sign.name not in ("s32", "f32") or (words and not flushed):
            return None
        x, y = (self._read(source, kind) for source in operands[1:3])
        sign = self._lanes_of(operands[3], of_sign)[0]
        # With `ftz` subnormal numbers count as zero.
        return where(sign > -(2.0**-126) if flushed else sign >= 0, x, y)

    def _computed(self, name: str, sources: list[str], kind: Lanes, words: list[str]) -> Block | None:
        kinds, allowed, meaning = INSTRUCTIONS[name]
        if kind.element is None or kind.is_small:
            return None
        if not set(words) <= set(allowed.split()) or len(sources) != len(kinds):
            return None
        if "n" in kinds and kind.count != 1:
            return None
        wide = NUMBERS.get(f"{kind.name[0]}{2 * kind.width}") if "wide" in words else None
        whole = Lanes(f"{kind.name[0]}{2 * kind.width}", wide, 2 * kind.width) if wide else kind
        if "wide" in words and not wide:
            return None
        lane_kinds = [{"x": kind, "z": whole, "n": AMOUNT, "p": PREDICATE}[each] for each in kinds]
        lanes = [self._lanes_of(source, each) for source, each in zip(sources, lane_kinds, strict=True)]
        lanes = [each * kind.count if letter == "p" else each for each, letter in zip(lanes, kinds, strict=True)]
        if DIRECTIONS.keys() & set(words):
            meaning = functools.partial(in_direction, name)
        results = [meaning(kind, words, *each) for each in zip(*lanes, strict=True)]
        if any(each is None for each in results):
            return None
        return bits_of([cast(each, whole.element) for each in results], whole)

    def _lanes_of(self, source: str, kind: Lanes) -> list[Block]:
        parts = take_apart(self._read(source, kind), kind.width, kind.count)
        return parts if kind.element is None else [cast(part, kind.element, bitcast=True) for part in parts]

    def _predicate(self, operand: str) -> Block:
        name = operand.removeprefix("!").strip()
        found: Block = self.registers.get(name)
        expects(found is not None and found.dtype.is_bool(), f"'inline_asm_elementwise' does not read '{name}'",
                hint=hint(name))  # fmt: skip
        return ~found if operand.startswith("!") else found

    def _read(self, operand: str, kind: Lanes) -> Block:
        if kind is PREDICATE:
            return self._predicate(operand)
        if operand in self.registers and not self.registers[operand].dtype.is_bool():
            return resized(self.registers[operand], kind.bits)
        number = self.immediates.get(operand)
        if number is None:
            number = _special(operand) if operand.startswith("%") else _number(operand, kind)
        expects(number is not None, f"'inline_asm_elementwise' does not read '{operand}'", hint=hint(operand))
        assert number is not None
        made: Block = full(self.shape, number & (1 << kind.bits) - 1, REGISTERS[kind.bits])
        return made

    def _assign(self, name: str, bits: Block, *, signed: bool = False) -> None:
        if name == "_":
            return
        before = self.registers.get(name)
        expects(before is not None and before.dtype.is_bool() == bits.dtype.is_bool(),
                f"'inline_asm_elementwise' does not read '{name}'", hint=hint(name))  # fmt: skip
        assert before is not None
        target = before.dtype.primitive_bitwidth
        if signed:
            bits = cast(bits, NUMBERS[f"s{bits.dtype.primitive_bitwidth}"], bitcast=True)
            bits = cast(cast(bits, NUMBERS[f"s{target}"]), REGISTERS[target], bitcast=True)
        else:
            bits = resized(bits, target)
        self.registers[name] = bits if self.predicate is None else where(self.predicate, bits, before)


_OF_TWO_TYPES: dict[str, Any] = {
    "dp2a": _Program._products_of_two,
    "dp4a": _Program._products_of_four,
    "set": _Program._compared_number,
    "slct": _Program._chosen_by_sign,
}
_COMBINED: dict[str, Any] = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}


def _special(name: str) -> int | None:
    """Returns the value of a special register that is independent of the thread, as programs run in sequence."""
    if name in ("%globaltimer", "%clock64"):
        return time.monotonic_ns()
    if name in ("%globaltimer_lo", "%clock"):
        return time.monotonic_ns() & 0xFFFFFFFF
    if name in ("%globaltimer_hi", "%clock_hi"):
        return time.monotonic_ns() >> 32
    if name in ("%smid", "%nsmid"):
        return int(name == "%nsmid")
    grid, _, axis = name.partition(".")
    if grid not in ("%ctaid", "%nctaid") or axis not in ("x", "y", "z"):
        return None
    position = (program_id if grid == "%ctaid" else num_programs)("xyz".index(axis))
    return int(position.handle)


def _number(text: str, kind: Lanes) -> int | None:
    """Parses a number: 17, 0x11, 0b10001, 0f3F800000, 0d3FF0000000000000, 1.0."""
    if re.fullmatch(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", text):
        return int(text[2:], 16)
    if kind.is_float and re.fullmatch(r"-?\d+\.\d*(e[+-]?\d+)?", text, re.IGNORECASE):
        code = {"f16": "<e", "f32": "<f", "f64": "<d"}.get(kind.name)
        return int.from_bytes(struct.pack(code, float(text)), "little") if code else None
    try:
        return int(text.removesuffix("U"), 8 if re.fullmatch(r"-?0[0-7]+U?", text) else 0)
    except ValueError:
        return None
