"""Integer instructions of PTX for the interpreter: wide products, counts of bits, funnel shifts, sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import types
from .cast import cast
from .ptx_lanes import NUMBERS, Block, Lanes, put_together, resized, take_apart
from .select import maximum, minimum
from .tensor import tensor


def _of_words(kind: Lanes) -> bool:
    return kind.is_bits and kind.width >= 32


def multiplied_wide(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
    """The upper half of a product, or the whole of it."""
    if kind.is_float or kind.is_bits or kind.width > 32 or len(words) != 1:
        return None
    wide = NUMBERS[f"{'s' if kind.is_signed else 'u'}{2 * kind.width}"]
    product = cast(x, wide) * cast(y, wide)
    return product if words[0] == "wide" else product >> kind.width


def ones(kind: Lanes, words: list[str], x: Block) -> Any:
    """How many bits are set."""
    if not _of_words(kind):
        return None
    bits = x.handle[..., None] >> np.arange(kind.width, dtype=x.handle.dtype) & 1
    return tensor(bits.sum(axis=-1).astype(x.handle.dtype), x.type)


def leading_zeros(kind: Lanes, words: list[str], x: Block) -> Any:
    """How many bits are above the highest that is set."""
    if not _of_words(kind):
        return None
    set_above = x.handle[..., None] >> np.arange(kind.width, dtype=x.handle.dtype) != 0
    return tensor((kind.width - set_above.sum(axis=-1)).astype(x.handle.dtype), x.type)


def reversed_bits(x: Block, width: int) -> Block:
    """A number with its bits in the opposite order."""
    distance = 1
    while distance < width:
        mask = sum(1 << bit for bit in range(width) if bit // distance % 2 == 0)
        x = ((x & mask) << distance) | ((x >> distance) & mask)
        distance *= 2
    return x


def reverse(kind: Lanes, words: list[str], x: Block) -> Any:
    """The bits in the opposite order."""
    return reversed_bits(x, kind.width) if _of_words(kind) else None


def funnel_shift(kind: Lanes, words: list[str], x: Block, y: Block, amount: Block) -> Any:
    """A word of two registers, of which the first is the lower."""
    if not kind.is_bits or kind.width != 32 or len(words) != 2:
        return None
    if ("l" in words) == ("r" in words) or ("wrap" in words) == ("clamp" in words):
        return None
    both = put_together([x, y], 32, 64)
    wide = cast(amount & 31 if "wrap" in words else minimum(amount, 32), types.uint64)
    return resized(both >> wide if "r" in words else (both << wide) >> 32, 32)


def sum_of_difference(kind: Lanes, words: list[str], x: Block, y: Block, z: Block) -> Any:
    """The third source and the distance of the others."""
    return None if kind.is_float or kind.is_bits else maximum(x, y) - minimum(x, y) + z


def sign_copied(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
    """The second source with the sign of the first."""
    if not kind.is_float or kind.width < 32:
        return None
    return tensor(np.copysign(y.handle, x.handle), y.type)


def byte_products(x: Block, y: Block, z: Block, signed: tuple[bool, bool]) -> Block:
    """The products of four bytes, and the third source."""
    parts = [
        [cast(cast(part, NUMBERS["s8"], bitcast=True) if is_signed else part, types.int32)
         for part in take_apart(word, 8, 4)]
        for word, is_signed in zip((x, y), signed, strict=True)
    ]  # fmt: skip
    total = cast(z, types.int32, bitcast=True)
    for left, right in zip(*parts, strict=True):
        total = total + left * right
    return cast(total, types.uint32, bitcast=True)
