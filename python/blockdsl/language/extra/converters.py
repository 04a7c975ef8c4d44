"""libdevice's conversions: between floats and integers with a rounding direction, and reinterpretations of bits.

Values out of range become the nearest integer. NaN becomes the result of a GPU's instruction: zero, or if one of the
types has 64 bits, the integer with only the highest bit set.
"""

from __future__ import annotations

from typing import Any

from ..cast import cast
from ..constexpr import constexpr
from ..math import ceil, floor
from ..op import LibraryFunction
from ..select import where
from ..types import dtype, float32, float64, int32, int64, uint32, uint64
from .rounding import directed, to_single, two_sum
from .table import FUNCTIONS
from .written import declare, written

_TO_WHOLE = {"rd": floor, "ru": ceil, "rn": FUNCTIONS["rint"], "rz": FUNCTIONS["trunc"]}
_WAYS = {"rd": "down", "ru": "up", "rn": "to the nearest, of two to the even one", "rz": "toward zero"}
# The name in functions, the type of the value, and the type that holds its bits.
_INTEGERS = {"int": (int32, int32), "uint": (uint32, int32), "ll": (int64, int64), "ull": (uint64, int64)}
_FLOATS = {"float": float32, "double": float64}


def _float_to_integer(name: str, source: dtype, meant: dtype, held: dtype, direction: str) -> None:
    whole = _TO_WHOLE[direction]
    nan = -(1 << (held.primitive_bitwidth - 1)) if 64 in (source.primitive_bitwidth, held.primitive_bitwidth) else 0
    of_nan = constexpr(nan)

    def convert(x: Any, whole: Any = whole, meant: Any = meant, held: Any = held, nan: Any = of_nan) -> Any:
        return where(x == x, cast(cast(whole(x), meant), held, bitcast=True), nan)

    summary = f"A float as {meant}, rounded {_WAYS[direction]}; its bits are {held}. NaN gives {nan}."
    declare(name, {(source,): name}, convert, summary)


@LibraryFunction
def _halves(x: Any) -> Any:
    """Returns two float64 values whose sum is a 64-bit integer."""
    return two_sum(cast(x >> 32, float64) * 4294967296.0, cast(x & 0xFFFFFFFF, float64))


@LibraryFunction
def _rounded_integer(x: Any, target: Any, direction: Any) -> Any:
    if direction == "rn":
        return cast(x, target)
    s, e = _halves(x) if x.dtype.primitive_bitwidth == 64 else (cast(x, float64), 0.0)
    return to_single(s, e, direction) if target == float32 else directed(s, e < 0, e > 0, direction)


def _integer_to_float(name: str, source: dtype, target: dtype, way: str) -> None:
    constant = constexpr(way)

    def convert(x: Any, target: Any = target, way: Any = constant) -> Any:
        return _rounded_integer(x, target, way)

    declare(name, {(source,): name}, convert, f"An integer of {source} as {target}, rounded {_WAYS[way]}.")


def _reinterpreted(name: str, source: dtype, target: dtype) -> None:
    def convert(x: Any, target: Any = target) -> Any:
        return cast(x, target, bitcast=True)

    declare(name, {(source,): name}, convert, f"The bits of {source} taken for {target}.")


for _float, _source in _FLOATS.items():
    for _integer, (_meant, _held) in _INTEGERS.items():
        for _way in _WAYS:
            _float_to_integer(f"{_float}2{_integer}_{_way}", _source, _meant, _held, _way)
for _integer, (_meant, _) in _INTEGERS.items():
    for _float, _target in _FLOATS.items():
        # float64 represents 32-bit integers exactly.
        for _way in _WAYS if _target == float32 or _meant.primitive_bitwidth == 64 else ("rn",):
            _integer_to_float(f"{_integer}2{_float}_{_way}", _meant, _target, _way)
for _name, _from, _to in (
    ("float_as_int", float32, int32), ("float_as_uint", float32, int32), ("int_as_float", int32, float32),
    ("uint_as_float", uint32, float32), ("double_as_longlong", float64, int64),
    ("longlong_as_double", int64, float64),
):  # fmt: skip
    _reinterpreted(_name, _from, _to)


@written({(float64,): "double2float_rn"})
def double2float_rn(x: Any) -> Any:
    """A float64 as float32, rounded to the nearest."""
    return cast(x, float32)


@written({(float64,): "double2float_rd"})
def double2float_rd(x: Any) -> Any:
    """A float64 as float32, rounded down."""
    return to_single(x, 0.0, "rd")


@written({(float64,): "double2float_ru"})
def double2float_ru(x: Any) -> Any:
    """A float64 as float32, rounded up."""
    return to_single(x, 0.0, "ru")


@written({(float64,): "double2float_rz"})
def double2float_rz(x: Any) -> Any:
    """A float64 as float32, rounded toward zero."""
    return to_single(x, 0.0, "rz")


@written({(float64,): "double2hiint"})
def double2hiint(x: Any) -> Any:
    """The upper 32 bits of a float64."""
    return cast(cast(x, int64, bitcast=True) >> 32, int32)


@written({(float64,): "double2loint"})
def double2loint(x: Any) -> Any:
    """The lower 32 bits of a float64."""
    return cast(cast(x, int64, bitcast=True), int32)


@written({(int32, int32): "hiloint2double"})
def hiloint2double(x: Any, y: Any) -> Any:
    """The float64 with the given upper and lower 32 bits."""
    return cast((cast(x, int64) << 32) | (cast(y, int64) & 0xFFFFFFFF), float64, bitcast=True)
