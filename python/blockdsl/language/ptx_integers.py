"""Integer instructions of PTX for the interpreter: wide products, counts and indices of bits, masks, shifts, sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import types
from .cast import cast
from .ptx_lanes import NUMBERS, Block, Lanes, put_together, resized, take_apart
from .select import maximum, minimum, where
from .tensor import tensor


def _of_words(kind: Lanes) -> bool:
    return kind.is_bits and kind.width >= 32


def multiplied_wide(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
    """Returns the upper half of a product, or the whole product."""
    if kind.is_float or kind.is_bits or kind.width > 32 or len(words) != 1:
        return None
    wide = NUMBERS[f"{'s' if kind.is_signed else 'u'}{2 * kind.width}"]
    product = cast(x, wide) * cast(y, wide)
    return product if words[0] == "wide" else product >> kind.width


def ones(kind: Lanes, words: list[str], x: Block) -> Any:
    """Returns the number of set bits."""
    if not _of_words(kind):
        return None
    bits = x.handle[..., None] >> np.arange(kind.width, dtype=x.handle.dtype) & 1
    return tensor(bits.sum(axis=-1).astype(x.handle.dtype), x.type)


def leading_zeros(kind: Lanes, words: list[str], x: Block) -> Any:
    """Returns the number of leading zeros."""
    if not _of_words(kind):
        return None
    set_above = x.handle[..., None] >> np.arange(kind.width, dtype=x.handle.dtype) != 0
    return tensor((kind.width - set_above.sum(axis=-1)).astype(x.handle.dtype), x.type)


def highest_bit(kind: Lanes, words: list[str], x: Block) -> Any:
    """Returns the index of the highest bit that differs from the sign, or its distance from the highest bit of the
    register; all ones if there is none."""
    if kind.is_float or kind.is_bits or kind.width < 32:
        return None
    unsigned = NUMBERS[f"u{kind.width}"]
    bits = cast(x ^ (x >> (kind.width - 1)), unsigned, bitcast=True) if kind.is_signed else x
    zeros = leading_zeros(Lanes(f"b{kind.width}", unsigned, kind.width), [], bits)
    return where(zeros == kind.width, zeros - zeros - 1, zeros if words else kind.width - 1 - zeros)


def of_24_bits(kind: Lanes, words: list[str], x: Block, y: Block, z: Block | None = None) -> Any:
    """Returns the upper or lower 32 bits of the 48-bit product of the low 24 bits, plus a third source."""
    if kind.is_float or kind.is_bits or kind.width != 32 or len(words) != 1:
        return None
    wide = NUMBERS["s64" if kind.is_signed else "u64"]
    product = cast((x << 8) >> 8, wide) * cast((y << 8) >> 8, wide)
    product = cast(product >> 16 if words[0] == "hi" else product, kind.element)
    return product if z is None else product + z


def _taken(words: list[str], amount: Block) -> Block:
    return minimum(amount, 32) if words[0] == "clamp" else amount & 31


def mask(kind: Lanes, words: list[str], position: Block, length: Block) -> Any:
    """Returns a mask of ``length`` ones from bit ``place`` on, cut off at the end of the register."""
    if not kind.is_bits or kind.width != 32 or len(words) != 1:
        return None
    ones = cast((cast(length, types.uint64) * 0 + 1 << cast(_taken(words, length), types.uint64)) - 1, types.uint64)
    return resized(ones << cast(_taken(words, position), types.uint64), 32)


def extended(kind: Lanes, words: list[str], x: Block, length: Block) -> Any:
    """Returns the ``length`` low bits, zero or sign extended."""
    if kind.is_float or kind.is_bits or kind.width != 32 or len(words) != 1:
        return None
    above = cast(32 - _taken(words, cast(length, types.uint32, bitcast=True)), kind.element)
    return (x << above) >> above


def reversed_bits(x: Block, width: int) -> Block:
    """Returns a number with its bits in reverse order."""
    distance = 1
    while distance < width:
        mask = sum(1 << bit for bit in range(width) if bit // distance % 2 == 0)
        x = ((x & mask) << distance) | ((x >> distance) & mask)
        distance *= 2
    return x


def reverse(kind: Lanes, words: list[str], x: Block) -> Any:
    """Reverses the bits."""
    return reversed_bits(x, kind.width) if _of_words(kind) else None


def funnel_shift(kind: Lanes, words: list[str], x: Block, y: Block, amount: Block) -> Any:
    """Returns a word of the shifted concatenation of two registers, of which the first is the lower one."""
    if not kind.is_bits or kind.width != 32 or len(words) != 2:
        return None
    if ("l" in words) == ("r" in words) or ("wrap" in words) == ("clamp" in words):
        return None
    both = put_together([x, y], 32, 64)
    wide = cast(amount & 31 if "wrap" in words else minimum(amount, 32), types.uint64)
    return resized(both >> wide if "r" in words else (both << wide) >> 32, 32)


def sum_of_difference(kind: Lanes, words: list[str], x: Block, y: Block, z: Block) -> Any:
    """Returns the absolute difference of two sources plus the third one."""
    return None if kind.is_float or kind.is_bits else maximum(x, y) - minimum(x, y) + z


def sign_copied(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
    """Returns the second source with the sign of the first."""
    if not kind.is_float or kind.width < 32:
        return None
    return tensor(np.copysign(y.handle, x.handle), y.type)


def byte_products(x: Block, y: Block, z: Block, signed: tuple[bool, bool], half: str | None = None) -> Block:
    """Returns the sum of the third source and the products of four bytes, or of two 16-bit numbers and the bytes of one
    ``half`` of y."""
    width = 16 if half else 8
    xs, ys = take_apart(x, width, 32 // width), take_apart(y, 8, 4)[2 if half == "hi" else 0 :]
    total = cast(z, types.int32, bitcast=True)
    for left, right in zip(xs, ys, strict=False):
        total = total + _number(left, width, signed[0]) * _number(right, 8, signed[1])
    return cast(total, types.uint32, bitcast=True)


def _number(bits: Block, width: int, signed: bool) -> Block:
    made: Block = cast(cast(bits, NUMBERS[f"s{width}"], bitcast=True) if signed else bits, types.int32)
    return made
