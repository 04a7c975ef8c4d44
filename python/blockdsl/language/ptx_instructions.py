"""What instructions of PTX compute from the lanes of their operands, for the interpreter.

Each is written with the functions of the language; a CPU's compiler knows the same ones (`tt-read-assembly`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import types
from .attributes import PropagateNan
from .cast import cast
from .math import abs, ceil, cos, exp2, floor, fma, log2, rsqrt, sin, sqrt
from .ptx_lanes import NUMBERS, Block, Lanes, put_together
from .select import maximum, minimum, where
from .tensor import tensor

Meaning = Callable[..., Any]


def convert(lane: Block, to: Lanes, origin: Lanes, words: list[str]) -> Block | None:
    """``cvt`` of a lane with the roundings and other words it was given; None where that is not read."""
    finite, saturated, rectified = (word in words for word in ("satfinite", "sat", "relu"))
    roundings = [word for word in words if word not in ("satfinite", "sat", "relu", "ftz")]
    # Floats of eight bits and less are cut off at the largest in any case; bits alone are no numbers.
    small = to.element is None or to.element.is_fp8()
    if finite != small or (small and saturated) or len(roundings) > 1 or to.is_bits or origin.is_bits:
        return None
    rounding = "".join(roundings)
    if rectified:
        if origin.name != "f32" or not (small or (to.is_float and to.width == 16)) or saturated:
            return None
        lane = _rectified(lane)
    if to.element is None:
        return _encode(lane) if origin.name == "f32" and rounding == "rn" else None
    if origin.element is None:
        return _decode(lane) if to.name == "f16x2" and rounding == "rn" else None
    if not to.is_float:
        if origin.is_float:
            whole = _WHOLES.get(rounding)
            return cast(whole(cast(lane, types.float64)), to.element) if whole else None
        return cast(_limited(lane, to, origin) if saturated else lane, to.element) if not rounding else None
    if not origin.is_float:
        result = cast(lane, to.element) if rounding == "rn" else None
    else:
        result = _float_to_float(lane, to, origin, rounding)
    return _saturated(result) if saturated and result is not None else result


def _float_to_float(lane: Block, to: Lanes, origin: Lanes, rounding: str) -> Block | None:
    if to.width > origin.width and to.width > 16:
        return cast(lane, to.element) if not rounding else None
    if to.element == origin.element:
        whole = _WHOLES.get(rounding)
        return cast(whole(cast(lane, types.float64)), to.element) if whole else None if rounding else lane
    if rounding not in ("rn", "rz"):
        return None
    narrows = to.width < origin.width
    return cast(lane, to.element, fp_downcast_rounding={"rn": "rtne", "rz": "rtz"}[rounding] if narrows else None)


def _limited(lane: Block, to: Lanes, origin: Lanes) -> Block:
    """The nearest number that the other type has."""
    assert to.element is not None
    low, high = to.element.get_int_min_value(), to.element.get_int_max_value()
    if origin.is_signed and (not to.is_signed or to.width < origin.width):
        lane = maximum(lane, low)
    return minimum(lane, high) if to.width - to.is_signed < origin.width - origin.is_signed else lane


def _saturated(x: Block) -> Block:
    x = where(x > 0.0, x, 0.0)
    return where(x < 1.0, x, 1.0)


def _rectified(x: Block) -> Block:
    return where((x > 0.0) | (x != x), x, 0.0)


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


def _toward_zero(x: Block) -> Block:
    return where(x < 0.0, ceil(x), floor(x))


_WHOLES: dict[str, Meaning] = {"rzi": _toward_zero, "rni": _to_even, "rmi": floor, "rpi": ceil}


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
            return _saturated(function(x, y)) if kind.width < 64 else None
        wide = [cast(each, types.int64) for each in (x, y)]
        return maximum(minimum(function(*wide), 2**31 - 1), -(2**31)) if kind.name == "s32" else None

    return meaning


def _product(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
    # Integers have to say which half of the product is meant.
    if kind.is_float == ("lo" in words) or kind.is_bits or ("sat" in words and not kind.is_float):
        return None
    return _sum(lambda x, y: x * y)(kind, words, x, y)


def _product_and_sum(kind: Lanes, words: list[str], x: Block, y: Block, z: Block) -> Any:
    saturated, rectified = "sat" in words, "relu" in words
    if not kind.is_float:
        product = None if saturated or rectified else _product(kind, words, x, y)
        return None if product is None else product + z
    if "rn" not in words or (saturated and (rectified or kind.width > 32)) or (rectified and kind.width != 16):
        return None
    result = fma(x, y, z)
    return _saturated(result) if saturated else _rectified(result) if rectified else result


_BYTE_OF: dict[str, Callable[[Block, int], Block]] = {
    "f4e": lambda first, at: first + at,
    "b4e": lambda first, at: (first - at) & 7,
    "rc8": lambda first, at: first,
    "ecl": lambda first, at: maximum(first, at),
    "ecr": lambda first, at: minimum(first, at),
    "rc16": lambda first, at: ((first & 1) << 1) + at % 2,
}
"""Which byte one of the result is, by the selector's low two bits."""


def _permuted(kind: Lanes, words: list[str], x: Block, y: Block, selector: Block) -> Any:
    if not kind.is_bits or kind.width != 32 or len(words) > 1:
        return None
    both = put_together([x, y], 32, 64)
    chosen = []
    for at in range(4):
        nibble = (selector >> (4 * at)) & 15
        place = _BYTE_OF[words[0]](selector & 3, at) if words else nibble & 7
        byte = cast(both >> (cast(place, types.uint64) << 3), types.uint8)
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
    """The low eight bits say how many, or from where. Of the width and more is as many as there are."""
    return _amount(kind, amount & 255)


def _extracted(kind: Lanes, words: list[str], x: Block, place: Block, length: Block) -> Any:
    if kind.is_float or kind.is_bits or kind.width < 32:
        return None
    place, above = _count(kind, place), kind.width - _count(kind, length)
    # Up to the end of the register and down again: what comes after it are zeros, or signs.
    return ((x >> place) << above) >> above


def _inserted(kind: Lanes, words: list[str], x: Block, y: Block, place: Block, length: Block) -> Any:
    if not kind.is_bits or kind.width < 32:
        return None
    place, above = _count(kind, place), kind.width - _count(kind, length)
    ones = ~(x ^ x)
    mask = (ones >> above) << place
    return ((x << place) & mask) | (y & ~mask)


def _extremum(function: Meaning) -> Meaning:
    def meaning(kind: Lanes, words: list[str], x: Block, y: Block) -> Any:
        every = {"propagate_nan": PropagateNan.ALL} if "NaN" in words else {}
        return function(x, y, **every) if not kind.is_bits else None

    return meaning


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
    "add": ("xx", "rn ftz sat", _sum(lambda x, y: x + y)),
    "and": ("xx", "", _of_bits(lambda x, y: x & y)),
    "bfe": ("xnn", "", _extracted),
    "bfi": ("xxnn", "", _inserted),
    "cos": ("x", "approx ftz", _of_floats(cos)),
    "div": ("xx", "rn approx full ftz", _of_floats(lambda x, y: x / y)),
    "ex2": ("x", "approx ftz", _of_floats(exp2)),
    "fma": ("xxx", "rn ftz sat relu", _product_and_sum),
    "lg2": ("x", "approx ftz", _of_floats(log2)),
    "lop3": ("xxxx", "", _of_bits(_looked_up, 32)),
    "mad": ("xxx", "lo", _product_and_sum),
    "max": ("xx", "ftz NaN", _extremum(maximum)),
    "min": ("xx", "ftz NaN", _extremum(minimum)),
    "mul": ("xx", "lo rn ftz sat", _product),
    "neg": ("x", "ftz", _plain(lambda x: -x)),
    "not": ("x", "", _of_bits(lambda x: ~x)),
    "or": ("xx", "", _of_bits(lambda x, y: x | y)),
    "prmt": ("xxx", "f4e b4e rc8 ecl ecr rc16", _permuted),
    "rcp": ("x", "rn approx ftz", _of_floats(lambda x: 1.0 / x)),
    "rsqrt": ("x", "approx ftz", _of_floats(rsqrt)),
    "selp": ("xxp", "", _chosen),
    "shl": ("xn", "", _shift(lambda x, amount: x << amount)),
    "shr": ("xn", "", _shift(lambda x, amount: x >> amount)),
    "sin": ("x", "approx ftz", _of_floats(sin)),
    "sqrt": ("x", "rn approx ftz", _of_floats(sqrt)),
    "sub": ("xx", "rn ftz sat", _sum(lambda x, y: x - y)),
    "tanh": ("x", "approx", _of_floats(lambda x: tensor(np.tanh(x.handle), x.type))),
    "xor": ("xx", "", _of_bits(lambda x, y: x ^ y)),
}
"""For each its sources (x is a lane, n a number of bits, p a predicate), the words that it may be given besides a type,
and what it computes from a lane of each source; None where that is not of the type."""


# Those without a `u` are false of NaN, `ne` too.
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
    """``lt`` and its like of two lanes; None where that is no comparison of the type."""
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
