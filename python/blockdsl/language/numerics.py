"""Number formats in NumPy: representation, rounding and storage of values of every dtype in the interpreter.

bfloat16 and the 8-bit floats have no NumPy type. They are represented as float32 and rounded to their own precision
after each operation; in memory they are integers of their width.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from .types import Scalar, dtype, float8e4b8, float8e4b15, float8e4nv, float8e5b16

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    # Importing numpy.typing takes a third of the time of NumPy.
    Array = np.ndarray

# (smallest normal exponent, largest finite value) of formats that NumPy lacks, and of f16 for rounding toward zero.
_RANGES = {
    "bf16": (-126, 3.3895313892515355e38),
    "fp16": (-14, 65504.0),
    "fp8e5": (-14, 57344.0),
    "fp8e4nv": (-6, 448.0),
    "fp8e4b8": (-7, 240.0),
    "fp8e5b16": (-15, 57344.0),
    "fp8e4b15": (-14, 1.875),
}


def carrier(type: Scalar) -> np.dtype[Any]:
    """Returns the NumPy type of arrays for the values; addresses are int64."""
    return np.dtype(type.carrier if isinstance(type, dtype) else np.int64)


def larger_number(x: Array, y: Array) -> Array:
    """Computes IEEE 754's maximumNumber, which ignores NaN, also signaling ones. NumPy's fmax does so for some lanes
    only."""
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.maximum(x, y)))


def smaller_number(x: Array, y: Array) -> Array:
    """Computes IEEE 754's minimumNumber, which ignores NaN, also signaling ones."""
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.minimum(x, y)))


def wrapped(value: int | float | bool, kind: Scalar) -> int | float | bool:
    """Wraps a number to the range of its type, which NumPy requires."""
    if not isinstance(kind, dtype) or not kind.is_int() or kind.is_bool():
        return value
    bits: int = int(value) & (2**kind.primitive_bitwidth - 1)
    negative = kind.is_int_signed() and bits >> (kind.primitive_bitwidth - 1)
    return bits - 2**kind.primitive_bitwidth if negative else bits


def narrow(type: Scalar) -> bool:
    """Returns whether the type is a float that NumPy lacks."""
    return isinstance(type, dtype) and type.is_floating() and carrier(type) == np.float32 and not type.is_fp32()


def fit(values: Any, type: Scalar) -> Array:
    """Returns values in the type's NumPy representation, rounded to the type's precision."""
    array = np.asarray(values)
    if narrow(type):
        assert isinstance(type, dtype)
        return round_to(array, type)
    if array.dtype == carrier(type):
        return array
    # Overflow to infinity is intended, without NumPy's warning.
    with np.errstate(over="ignore"):
        return array.astype(carrier(type))


def to_integer(values: Array, type: dtype) -> Array:
    """Converts floats to integers toward zero, saturating; NaN becomes zero."""
    low, high = type.get_int_min_value(), type.get_int_max_value()
    wide = np.asarray(values).astype(np.float64)
    # The upper bounds of 64 bits are one too large as floats, but comparisons with them are still correct.
    inside = (wide > low) & (wide < high)
    result = np.where(wide >= high, carrier(type).type(high), np.where(wide <= low, low, 0).astype(carrier(type)))
    return np.where(inside, np.where(inside, wide, 0).astype(carrier(type)), result)


def _has_one_zero(type: dtype) -> bool:
    """Returns whether the format has no negative zero, whose bits are NaN instead."""
    return type.is_fp8e4b8() or type.is_fp8e5b16()


def round_to(values: Array, type: dtype, *, toward_zero: bool = False) -> Array:
    """Rounds floats to the precision of ``type``: to nearest even, or toward zero.

    8-bit floats saturate at their largest finite value, as the conversion instructions of accelerators do.
    """
    min_exponent, largest = _RANGES[type.name]
    # Integers of 64 bits must be rounded only once, too.
    wide = values.astype(np.longdouble if values.dtype.kind in "iu" else np.float64)
    finite = np.isfinite(wide)
    safe = np.where(finite, wide, 0.0)
    exponent = np.maximum(np.frexp(safe)[1] - 1, min_exponent)
    step = np.ldexp(1.0, exponent - type.fp_mantissa_width)
    rounded = (np.trunc if toward_zero else np.rint)(safe / step) * step
    if type.is_fp8() or toward_zero:
        rounded = np.clip(rounded, -largest, largest)
    else:
        rounded = np.where(np.abs(rounded) > largest, np.copysign(np.inf, rounded), rounded)
    rounded = np.copysign(rounded, safe)
    if _has_one_zero(type):
        rounded += 0.0
    infinite = np.copysign(largest, wide) if type.is_fp8() else wide
    result = np.where(finite, rounded, np.where(np.isnan(wide), np.nan, infinite))
    return result.astype(carrier(type))


@functools.cache
def _decoded(name: str) -> Array:
    """Returns the 256 values of an 8-bit float, by their bits."""
    formats = (float8e4nv, float8e4b8, float8e5b16, float8e4b15)
    type = next((each for each in formats if each.name == name), None)
    min_exponent, _ = _RANGES[name]
    fraction_bits = type.fp_mantissa_width if type else 2
    bits = np.arange(256)
    sign = np.where(bits & 0x80, -1.0, 1.0)
    exponent = (bits & 0x7F) >> fraction_bits
    fraction = (bits & ((1 << fraction_bits) - 1)) / (1 << fraction_bits)
    values = sign * np.where(
        exponent == 0,
        np.ldexp(fraction, min_exponent),
        np.ldexp(1.0 + fraction, np.maximum(exponent, 1) - 1 + min_exponent),
    )
    if name == "fp8e5":
        values[[0x7C, 0xFC]] = [np.inf, -np.inf]
        values[[0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]] = np.nan
    elif name == "fp8e4nv":
        values[[0x7F, 0xFF]] = np.nan
    elif name != "fp8e4b15":
        values[0x80] = np.nan
    return values.astype(np.float32)


def storage(type: Scalar) -> np.dtype[Any]:
    """Returns the NumPy type of an element in memory. A bool is a byte."""
    if not isinstance(type, dtype):
        return np.dtype(np.int64)
    if narrow(type):
        return np.dtype(np.uint16 if type.primitive_bitwidth == 16 else np.uint8)
    return np.dtype(np.uint8) if type.is_bool() else carrier(type)


def load(stored: Array, type: Scalar) -> Array:
    """Converts elements in memory to the interpreter's representation."""
    if not narrow(type):
        return stored != 0 if isinstance(type, dtype) and type.is_bool() else stored.astype(carrier(type), copy=False)
    assert isinstance(type, dtype)
    if type.is_bf16():
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return _decoded(type.name)[stored]


def store(values: Array, type: Scalar) -> Array:
    """Converts values in the interpreter's representation to elements in memory."""
    if not narrow(type):
        return values.astype(storage(type), copy=False)
    assert isinstance(type, dtype)
    if type.is_bf16():
        bits = np.where(np.isnan(values), np.uint32(0x7FC00000), values.astype(np.float32).view(np.uint32))
        return (bits >> 16).astype(np.uint16)
    return _encode(values, type)


def _encode(values: Array, type: dtype) -> Array:
    table = _decoded(type.name)
    codes = np.flatnonzero(np.isfinite(table) & ~np.signbit(table))
    order = codes[np.argsort(table[codes])]
    magnitude = np.abs(values)
    found = order[np.clip(np.searchsorted(table[order], magnitude), 0, order.size - 1)]
    signed = np.where(np.signbit(values), found | 0x80, found)
    if type.is_fp8e4b15():
        return signed.astype(np.uint8)
    if _has_one_zero(type):
        signed = np.where(magnitude == 0, 0, signed)
        return np.where(np.isnan(values), 0x80, signed).astype(np.uint8)
    infinity = np.where(np.signbit(values), 0xFC, 0x7C) if type.is_fp8e5() else signed
    return np.where(np.isnan(values), 0x7F, np.where(np.isinf(values), infinity, signed)).astype(np.uint8)
