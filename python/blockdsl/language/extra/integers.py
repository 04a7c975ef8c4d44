"""libdevice's integer functions, and simple float functions: clamping, exponents, quotients."""

from __future__ import annotations

from typing import Any

from ..cast import cast
from ..constexpr import constexpr
from ..math import abs as tl_abs
from ..math import fma, sqrt, umulhi
from ..program import static_range
from ..select import maximum, minimum, where
from ..types import float32, float64, int32, int64, uint32, uint64
from .table import FUNCTIONS
from .written import written

ldexp, rint, round, tanh = (FUNCTIONS[name] for name in ("ldexp", "rint", "round", "tanh"))

_INT, _LONG, _SINGLE, _DOUBLE = (int32,), (int64,), (float32,), (float64,)


@written({_INT: "abs", _LONG: "llabs", _SINGLE: "fabsf", _DOUBLE: "fabs"})
def abs(x: Any) -> Any:
    """The absolute value; the least integer is unchanged."""
    return tl_abs(x)


_LOW_HALVES = constexpr((0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF,
                         0x0000FFFF0000FFFF))  # fmt: skip


@written({_INT: "brev", _LONG: "brevll"})
def brev(x: Any) -> Any:
    """The bits in reverse order."""
    wide = x.dtype.primitive_bitwidth == 64
    bits = cast(x, uint64 if wide else uint32, bitcast=True)
    # Swaps adjacent groups of 1, 2, 4 and 8 bits, and so on.
    for step in static_range(5 if wide else 4):
        low = _LOW_HALVES[step] if wide else _LOW_HALVES[step] & 0xFFFFFFFF
        bits = ((bits >> (1 << step)) & low) | ((bits & low) << (1 << step))
    half = 32 if wide else 16
    return cast((bits >> half) | (bits << half), x.dtype, bitcast=True)


@written({_INT: "clz", _LONG: "clzll"})
def clz(x: Any) -> Any:
    """The number of leading zero bits; all bits for zero."""
    wide = x.dtype.primitive_bitwidth == 64
    bits = cast(x, uint64 if wide else uint32, bitcast=True)
    count = where(bits == 0, 1, 0)
    width = 64 if wide else 32
    for step in static_range(6 if wide else 5):
        half = width >> (step + 1)
        # The upper half is zero: continue with the lower one.
        empty = (bits >> (width - half)) == 0
        count, bits = count + where(empty, half, 0), where(empty, bits << half, bits)
    return count


@written({_INT: "ffs", _LONG: "ffsll"})
def ffs(x: Any) -> Any:
    """The index of the lowest set bit, counted from one; zero for zero."""
    wide = x.dtype.primitive_bitwidth == 64
    bits = cast(x, uint64 if wide else uint32, bitcast=True)
    lowest = bits & (~bits + 1)
    # The lowest set bit is a power of two, and the exponent of its float64 is the bit's index.
    exponent = (cast(cast(lowest, float64), int64, bitcast=True) >> 52) & 0x7FF
    return where(x == 0, 0, cast(exponent, int32) - 1022)


@written({(int32, int32, int32): "byte_perm"})
def byte_perm(x: Any, y: Any, z: Any) -> Any:
    """Four of the eight bytes of ``y`` and ``x``, chosen by the four lowest hexadecimal digits of ``z``."""
    bytes = (cast(y, int64) << 32) | (cast(x, int64) & 0xFFFFFFFF)
    first = (bytes >> cast((z & 7) * 8, int64)) & 0xFF
    second = (bytes >> cast(((z >> 4) & 7) * 8, int64)) & 0xFF
    third = (bytes >> cast(((z >> 8) & 7) * 8, int64)) & 0xFF
    fourth = (bytes >> cast(((z >> 12) & 7) * 8, int64)) & 0xFF
    return cast(first | (second << 8) | (third << 16) | (fourth << 24), int32)


_PAIR, _UNSIGNED_PAIR = (int32, int32), (uint32, uint32)


@written({_PAIR: "hadd", _UNSIGNED_PAIR: "uhadd"})
def hadd(x: Any, y: Any) -> Any:
    """The mean of two integers, rounded down."""
    return cast((cast(x, int64) + cast(y, int64)) >> 1, x.dtype)


@written({_PAIR: "rhadd", _UNSIGNED_PAIR: "urhadd"})
def rhadd(x: Any, y: Any) -> Any:
    """The mean of two integers, rounded up."""
    return cast((cast(x, int64) + cast(y, int64) + 1) >> 1, x.dtype)


@written({_PAIR: "mul24", _UNSIGNED_PAIR: "umul24"})
def mul24(x: Any, y: Any) -> Any:
    """The lower 32 bits of the product of the lower 24 bits."""
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@written({_PAIR: "mulhi", _UNSIGNED_PAIR: "umulhi", (int64, int64): "mul64hi", (uint64, uint64): "umul64hi"})
def mulhi(x: Any, y: Any) -> Any:
    """The upper half of the product."""
    high = umulhi(x, y)
    if x.dtype.is_int_signed():
        # Corrects for negative factors, which were multiplied as unsigned numbers.
        high = high - where(x < 0, y, 0) - where(y < 0, x, 0)
    return high


@written({(int32, int32, uint32): "sad", (uint32, uint32, uint32): "usad"})
def sad(x: Any, y: Any, z: Any) -> Any:
    """The absolute difference of two integers, added to a third."""
    difference = tl_abs(cast(x, int64) - cast(y, int64))
    return cast(cast(difference, uint32) + z, x.dtype, bitcast=True)


@written({_SINGLE: "saturatef"})
def saturatef(x: Any) -> Any:
    """The value clamped to the range from zero to one; zero for NaN."""
    return minimum(maximum(x, 0.0), 1.0)


@written({(float32, int32): "scalbnf", (float64, int32): "scalbn"})
def scalbn(x: Any, y: Any) -> Any:
    """A float times a power of two."""
    return ldexp(x, y)


@written({_SINGLE: "ilogbf", _DOUBLE: "ilogb"})
def ilogb(x: Any) -> Any:
    """The exponent of a float; the least int32 for zero and NaN, the greatest for infinity."""
    wide = cast(x, float64)
    small = tl_abs(wide) < 2.2250738585072014e-308
    bits = cast(where(small, wide * 18014398509481984.0, wide), int64, bitcast=True)
    exponent = cast((bits >> 52) & 0x7FF, int32) - where(small, 1077, 1023)
    exponent = where((x == 0) | (x != x), -2147483648, exponent)
    return where(tl_abs(x) == float("inf"), 2147483647, exponent)


@written({_SINGLE: "llrintf", _DOUBLE: "llrint"})
def llrint(x: Any) -> Any:
    """The nearest integer as int64, ties to even; the least int64 for NaN."""
    return where(x == x, cast(rint(x), int64), -(1 << 63))


@written({_SINGLE: "llroundf", _DOUBLE: "llround"})
def llround(x: Any) -> Any:
    """The nearest integer as int64, ties away from zero; the least int64 for NaN."""
    return where(x == x, cast(round(x), int64), -(1 << 63))


@written({(float32, float32): "fast_fdividef"})
def fast_dividef(x: Any, y: Any) -> Any:
    """The quotient ``x / y``, approximate on a GPU."""
    return x / y


@written({_SINGLE: None})
def fast_tanhf(x: Any) -> Any:
    """The hyperbolic tangent, approximate on a GPU."""
    return tanh(x)


@written({(float32,) * 3: "fmaf_rn", (float64,) * 3: "fma_rn"})
def fma_rn(x: Any, y: Any, z: Any) -> Any:
    """The sum ``x * y + z``, rounded once, to the nearest."""
    return fma(x, y, z)


@written({_SINGLE: "fsqrt_rn", _DOUBLE: "dsqrt_rn"})
def sqrt_rn(x: Any) -> Any:
    """The square root, rounded to the nearest."""
    return cast(sqrt(cast(x, float64)), x.dtype)


@written({_SINGLE: "frcp_rn", _DOUBLE: "drcp_rn"})
def rcp_rn(x: Any) -> Any:
    """The quotient ``1 / x``, rounded to the nearest."""
    return cast(1.0 / cast(x, float64), x.dtype)


@written({_DOUBLE: "rcp64h"})
def rcp64h(x: Any) -> Any:
    """The quotient ``1 / x`` with the lower 32 bits set to zero."""
    return cast(cast(1.0 / x, int64, bitcast=True) & -4294967296, float64, bitcast=True)
