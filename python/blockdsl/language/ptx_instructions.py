"""Elementwise instructions of PTX for the interpreter. ptx_conversions.py has the conversions.

They are implemented with functions of the language. The CPU's compiler has the same ones (`tt-read-assembly`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import types
from .attributes import PropagateNan
from .cast import cast
from .math import abs, cos, exp2, fma, log2, rsqrt, sin, sqrt
from .ptx_integers import (
    extended,
    funnel_shift,
    highest_bit,
    leading_zeros,
    mask,
    multiplied_wide,
    of_24_bits,
    ones,
    reverse,
    sign_copied,
    sum_of_difference,
)
from .ptx_lanes import NUMBERS, REGISTERS, Block, Lanes, put_together
from .ptx_rounding import rectified, saturated
from .select import maximum, minimum, where
from .tensor import tensor

Meaning = Callable[..., Any]


def _of_floats(function: Meaning) -> Meaning:
    def meaning(kind: Lanes, words: list[str], *x: Block) -> Any:
        wide = types.float64 if kind.width == 64 else types.float32
        return function(*(cast(each, wide) for each in x)) if kind.is_float else None

    return meaning


def _of_bits(function: Meaning, *widths: int) -> Meaning:
    def meaning(kind: Lanes, words: list[str], *x: Block) -> Any:
        return function(*x) if kind.is_bits and kind.width in (widths or (1, 8, 16, 32, 64)) else None

    return meaning


def _plain(function: Meaning) -> Meaning:
    return lambda kind, words, *x: function(*x) if not kind.is_bits else None


def _sum(function: Meaning) -> Meaning:
    def meaning(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
        if "sat" not in words or kind.is_bits:
            return _plain(function)(kind, words, x, y)
        if kind.is_float:
            return saturated(function(x, y)) if kind.width < 64 else None
        wide = [cast(each, types.int64) for each in (x, y)]
        return maximum(minimum(function(*wide), 2**31 - 1), -(2**31)) if kind.name == "s32" else None

    return meaning


def _product(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
    # For integers a modifier must select the lower, the upper or both halves of the product.
    if "hi" in words or "wide" in words:
        return multiplied_wide(kind, words, x, y)
    if kind.is_float == ("lo" in words) or kind.is_bits or ("sat" in words and not kind.is_float):
        return None
    return _sum(lambda x, y: x * y)(kind, words, x, y)


def _product_and_sum(kind: Lanes, words: list[str], x: Block, y: Block, z: Block) -> Any:
    clamped, positive = "sat" in words, "relu" in words
    if not kind.is_float:
        product = None if clamped or positive else _product(kind, words, x, y)
        return None if product is None else product + z
    if "rn" not in words or (clamped and (positive or kind.width > 32)) or (positive and kind.width != 16):
        return None
    result = fma(x, y, z)
    return saturated(result) if clamped else rectified(result) if positive else result


def _quotient(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
    if kind.is_float:
        return _of_floats(lambda x, y: x / y)(kind, words, x, y)
    return _of_integers(lambda x, y: x // y)(kind, words, x, y)


def _of_integers(function: Meaning) -> Meaning:
    def meaning(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
        # 8-bit types are no operand types.
        return None if kind.is_float or kind.is_bits or kind.width < 16 or words else function(x, y)

    return meaning


_BYTE_OF: dict[str, Callable[[Block, int], Block]] = {
    "f4e": lambda first, at: first + at,
    "b4e": lambda first, at: (first - at) & 7,
    "rc8": lambda first, at: first,
    "ecl": lambda first, at: maximum(first, at),
    "ecr": lambda first, at: minimum(first, at),
    "rc16": lambda first, at: ((first & 1) << 1) + at % 2,
}
"""The index of a source byte for each byte of the result, from the selector's low two bits."""


def _permuted(kind: Lanes, words: list[str], x: Block, y: Block, selector: Block) -> Any:
    if not kind.is_bits or kind.width != 32 or len(words) > 1:
        return None
    both = put_together([x, y], 32, 64)
    chosen = []
    for at in range(4):
        nibble = (selector >> (4 * at)) & 15
        source_byte = _BYTE_OF[words[0]](selector & 3, at) if words else nibble & 7
        byte = cast(both >> (cast(source_byte, types.uint64) << 3), types.uint8)
        sign = cast(cast(byte, types.int8, bitcast=True) >> 7, types.uint8, bitcast=True)
        chosen.append(byte if words else where(nibble >= 8, sign, byte))
    return put_together(chosen, 8, 32)


def _looked_up(x: Block, y: Block, z: Block, table: Block) -> Block:
    result = x ^ x
    for row in range(8):
        term = ~result | result
        for at, each in enumerate((x, y, z)):
            term = term & (each if row >> (2 - at) & 1 else ~each)
        result = result | where((table >> row) & 1 == 1, term, 0)
    return result


def _count(kind: Lanes, amount: Block) -> Block:
    """Returns a number or index of bits: the low eight bits of the amount, at most the width."""
    return _amount(kind, amount & 255)


def _extracted(kind: Lanes, words: list[str], x: Block, position: Block, length: Block) -> Any:
    if kind.is_float or kind.is_bits or kind.width < 32:
        return None
    position, above = _count(kind, position), kind.width - _count(kind, length)
    # Shifts the field to the top of the register and back, which fills with zeros or signs.
    return ((x >> position) << above) >> above


def _inserted(kind: Lanes, words: list[str], x: Block, y: Block, position: Block, length: Block) -> Any:
    if not kind.is_bits or kind.width < 32:
        return None
    position, above = _count(kind, position), kind.width - _count(kind, length)
    ones = ~(x ^ x)
    mask = (ones >> above) << position
    return ((x << position) & mask) | (y & ~mask)


def _extremum(function: Meaning) -> Meaning:
    def meaning(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
        if ("xorsign" in words) != ("abs" in words) or (words and not kind.is_float):
            return None
        if "abs" in words:
            size = meaning(kind, [word for word in words if word == "NaN"], abs(x), abs(y))
            signs = _bits_of(x) ^ _bits_of(y)
            sign = signs >> (kind.width - 1) << (kind.width - 1)
            whole = cast(_bits_of(cast(size, kind.element)) | sign, REGISTERS[kind.width])
            return cast(whole, kind.element, bitcast=True)
        every = {"propagate_nan": PropagateNan.ALL} if "NaN" in words else {}
        return function(x, y, **every) if not kind.is_bits else None

    return meaning


def _bits_of(x: Block) -> Block:
    """Returns the bits of a float."""
    return cast(x, REGISTERS[x.dtype.primitive_bitwidth], bitcast=True)


def _chosen(kind: Lanes, words: list[str], x: Block, y: Block, predicate: Block) -> Any:
    return where(predicate, x, y)


def _shift(function: Meaning) -> Meaning:
    def meaning(kind: Lanes, words: list[str], x: Block, amount: Block) -> Any:
        return function(x, _amount(kind, amount)) if not kind.is_float and kind.width > 1 else None

    return meaning


def _amount(kind: Lanes, amount: Block) -> Block:
    return cast(minimum(amount, kind.width), NUMBERS[f"{'s' if kind.is_signed else 'u'}{kind.width}"])


INSTRUCTIONS: dict[str, tuple[str, str, Meaning]] = {
    "abs": ("x", "ftz", _plain(abs)),
    "add": ("xx", "rn rz rm rp ftz sat", _sum(lambda x, y: x + y)),
    "and": ("xx", "", _of_bits(lambda x, y: x & y)),
    "bfe": ("xnn", "", _extracted),
    "bfi": ("xxnn", "", _inserted),
    "bfind": ("x", "shiftamt", highest_bit),
    "bmsk": ("xx", "clamp wrap", mask),
    "brev": ("x", "", reverse),
    "clz": ("x", "", leading_zeros),
    "cnot": ("x", "", _of_bits(lambda x: where(x == 0, x * 0 + 1, 0), 16, 32, 64)),
    "copysign": ("xx", "", sign_copied),
    "cos": ("x", "approx ftz", _of_floats(cos)),
    "div": ("xx", "rn rz rm rp approx full ftz", _quotient),
    "ex2": ("x", "approx ftz", _of_floats(exp2)),
    "fma": ("xxx", "rn rz rm rp ftz sat relu", _product_and_sum),
    "lg2": ("x", "approx ftz", _of_floats(log2)),
    "lop3": ("xxxx", "", _of_bits(_looked_up, 32)),
    "mad": ("xxz", "lo hi wide", _product_and_sum),
    "mad24": ("xxx", "lo hi", of_24_bits),
    "max": ("xx", "ftz NaN xorsign abs", _extremum(maximum)),
    "min": ("xx", "ftz NaN xorsign abs", _extremum(minimum)),
    "mul": ("xx", "lo hi wide rn rz rm rp ftz sat", _product),
    "mul24": ("xx", "lo hi", of_24_bits),
    "neg": ("x", "ftz", _plain(lambda x: -x)),
    "not": ("x", "", _of_bits(lambda x: ~x)),
    "or": ("xx", "", _of_bits(lambda x, y: x | y)),
    "popc": ("x", "", ones),
    "prmt": ("xxx", "f4e b4e rc8 ecl ecr rc16", _permuted),
    "rcp": ("x", "rn rz rm rp approx ftz", _of_floats(lambda x: 1.0 / x)),
    "rem": ("xx", "", _of_integers(lambda x, y: x % y)),
    "rsqrt": ("x", "approx ftz", _of_floats(rsqrt)),
    "sad": ("xxx", "", sum_of_difference),
    "selp": ("xxp", "", _chosen),
    "shf": ("xxn", "l r clamp wrap", funnel_shift),
    "shl": ("xn", "", _shift(lambda x, amount: x << amount)),
    "shr": ("xn", "", _shift(lambda x, amount: x >> amount)),
    "sin": ("x", "approx ftz", _of_floats(sin)),
    "sqrt": ("x", "rn rz rm rp approx ftz", _of_floats(sqrt)),
    "sub": ("xx", "rn rz rm rp ftz sat", _sum(lambda x, y: x - y)),
    "szext": ("xx", "clamp wrap", extended),
    "tanh": ("x", "approx", _of_floats(lambda x: tensor(np.tanh(x.handle), x.type))),
    "xor": ("xx", "", _of_bits(lambda x, y: x ^ y)),
}
"""For each instruction the sources (x is a lane, z one as wide as the result, n a number of bits, p a predicate), the
allowed modifiers besides a type, and a function of a lane of each source, which returns None for unsupported types."""


# Comparisons without a `u` are false for NaN, also `ne`.
_ORDERED: dict[str, Meaning] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def compare(comparison: str, kind: Lanes, x: Block, y: Block) -> Block | None:
    """Compares two lanes, by ``lt`` for example. Returns None for a comparison that the type does not have."""
    if kind.is_float:
        ordered = (x == x) & (y == y)
        if comparison in ("num", "nan"):
            return ordered if comparison == "num" else ~ordered
        plain = _ORDERED.get(comparison.removesuffix("u"))
        if plain is None:
            return None
        return plain(x, y) | ~ordered if comparison.endswith("u") else plain(x, y) & ordered
    if not kind.is_signed and not kind.is_bits:
        comparison = _UNSIGNED.get(comparison, comparison)
    if kind.is_bits and comparison not in ("eq", "ne"):
        return None
    plain = _ORDERED.get(comparison)
    return plain(x, y) if plain else None
