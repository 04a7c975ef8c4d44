"""Float formats of 4 to 16 bits, scales and tf32 for PTX in the interpreter: rounding to nearest, or stochastic."""

from __future__ import annotations

from dataclasses import dataclass

from . import types
from .cast import cast
from .math import floor
from .ptx_integers import reversed_bits
from .ptx_lanes import Block, Lanes
from .ptx_rounding import to_even
from .select import minimum, where


@dataclass(frozen=True)
class _Format:
    """A format with a sign, an exponent and a mantissa."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    most: int
    """The code of the largest number, or of infinity."""
    nan: int
    limit: float
    """The value of ``most``; for infinity the least power of two that overflows to it."""


_FORMATS = {
    "e2m1": _Format(2, 1, 1, 7, 7, 6.0),
    "e2m3": _Format(2, 3, 1, 31, 31, 7.5),
    "e3m2": _Format(3, 2, 3, 31, 31, 28.0),
    "e4m3": _Format(4, 3, 7, 0x7E, 0x7F, 448.0),
    "e5m2": _Format(5, 2, 15, 0x7B, 0x7F, 57344.0),
    "f16": _Format(5, 10, 15, 0x7C00, 0x7FFF, 65536.0),
}
_FINITE_HALF = _Format(5, 10, 15, 0x7BFF, 0x7FFF, 65504.0)


def _bits(x: Block) -> Block:
    return cast(x, types.uint32, bitcast=True)


def _number(bits: Block) -> Block:
    return cast(cast(bits, types.uint32), types.float32, bitcast=True)


def encoded(x: Block, to: Lanes, finite: bool, random: Block | None) -> Block | None:
    """Encodes a float32 in a format of at most 16 bits. Random bits are a fraction of 16 bits."""
    stem = to.name.partition("x")[0]
    if stem == "bf16":
        code = _bfloat16(x, finite, random)
    elif stem in _FORMATS:
        code = _encoded(x, _FINITE_HALF if stem == "f16" and finite else _FORMATS[stem], random)
    else:
        return None
    code = cast(code, types.uint16 if to.width == 16 else types.uint8)
    return code if to.element is None else cast(code, to.element, bitcast=True)


def _bfloat16(x: Block, finite: bool, random: Block | None) -> Block:
    """Encodes a bfloat16, the upper half of a float32. Random bits are added to the lower half."""
    bits = _bits(x)
    size = bits & 0x7FFFFFFF
    upper = minimum((size + random) >> 16, 0x7F7F if finite else 0x7F80)
    return where(size > 0x7F800000, 0x7FFF, upper | ((bits >> 16) & 0x8000))


def _encoded(x: Block, format: _Format, random: Block | None) -> Block:
    """Encodes a number: scales it to units in the last place, rounds, and adds the exponent's part of the code.

    A mantissa that rounds up to the next power of two carries into the exponent. With random bits it is rounded up if
    the sum of its fraction and the random fraction is at least one.
    """
    bits = _bits(x)
    size = bits & 0x7FFFFFFF
    limited = minimum(_number(size), format.limit)
    min_exponent = 128 - format.bias
    exponent = _bits(limited) >> 23
    exponent = where(exponent > min_exponent, exponent, min_exponent)
    count = limited * _number((254 + format.mantissa_bits - exponent) << 23)
    if random is None:
        rounded = to_even(count)
    else:
        rounded = floor(count)
        missing = cast(65536 - random, types.float32) * (1.0 / 65536)
        rounded += where(count - rounded >= missing, 1.0, 0.0)
    code = ((exponent - min_exponent) << format.mantissa_bits) + cast(rounded, types.uint32)
    code = minimum(cast(code, types.uint32), format.most)
    sign = (bits >> 31) << (format.exponent_bits + format.mantissa_bits)
    return where(size > 0x7F800000, format.nan, code | sign)


def decoded(code: Block, origin: Lanes) -> Block:
    """Decodes a minifloat to float16, or a scale to bfloat16."""
    wide = cast(code, types.uint16)
    if origin.is_scale:
        # The least power of two is subnormal, and the last code is NaN.
        power = where(wide == 0, 0x40, where(wide == 255, 0x7FFF, wide << 7))
        return cast(cast(power, types.uint16), types.bfloat16, bitcast=True)
    # As a float16 these bits have the same value, except for the bias of the exponent.
    format = _FORMATS[origin.name.partition("x")[0]]
    digits = format.exponent_bits + format.mantissa_bits
    sign = (wide & (1 << digits)) << (15 - digits)
    rest = (wide & ((1 << digits) - 1)) << (10 - format.mantissa_bits)
    half = cast(cast(sign | rest, types.uint16), types.float16, bitcast=True)
    return half * float(1 << (15 - format.bias))


def scale_of(x: Block, origin: Lanes, rounding: str, finite: bool) -> Block | None:
    """Returns the scale of a number: the exponent of its absolute value, rounded up for ``rp``."""
    if origin.name not in ("f32", "bf16x2") or rounding not in ("rz", "rp"):
        return None
    size = _bits(cast(x, types.float32)) & 0x7FFFFFFF
    code = size >> 23
    if rounding == "rp":
        # The least scale is 2^-127, which is subnormal: all smaller numbers round up to it.
        code += where(((size & 0x7FFFFF) != 0) & (size > 0x400000), 1, 0)
    code = where(size > 0x7F800000, 255, minimum(cast(code, types.uint32), 254 if finite else 255))
    return cast(code, types.uint8)


def rounded_to_tf32(x: Block, rounding: str, finite: bool) -> Block | None:
    """Rounds a float32 to the 10 upper bits of its mantissa; the others become zero."""
    bits = _bits(x)
    size = bits & 0x7FFFFFFF
    if rounding not in ("rna", "rn", "rz"):
        return None
    added = {"rna": 0x1000, "rn": ((size >> 13) & 1) + 0xFFF, "rz": 0}[rounding]
    truncated = cast(size + added, types.uint32) >> 13 << 13
    if finite:
        truncated = minimum(truncated, 0x7F7FE000)
    return cast(where(size > 0x7F800000, 0x7FFFFFFF, truncated | (bits >> 31 << 31)), types.uint32)


def limited_to_finite(x: Block, to: Lanes) -> Block:
    """Replaces infinities, which result from narrowing large numbers, by the largest number."""
    largest = 65504.0 if to.name.startswith("f16") else 3.3895313892515355e38
    return cast(where(x > largest, largest, where(x < -largest, -largest, x)), to.element)


def random_fraction(random: Block, to: Lanes, lane: int) -> Block | None:
    """Returns the 16 random bits for rounding a lane of the result; None if the type does not support them."""
    if to.count == 2 and to.is_float and to.width == 16:
        half = (random >> (16 * lane)) & 0xFFFF
        # float16 drops 13 bits of a float32's mantissa, and takes as many random bits.
        return (half & 0x1FFF) << 3 if to.name == "f16x2" else half
    if to.count != 4:
        return None
    # Two lanes share 16 bits, which one of them takes in reverse order.
    if to.width == 8:
        shared = (random >> (16 * (lane // 2))) & 0xFFFF
    else:
        part = random >> (8 * (lane // 2))
        shared = (part & 0xFF) | ((part >> 8) & 0xFF00)
    return reversed_bits(shared, 32) >> 16 if lane % 2 else shared
