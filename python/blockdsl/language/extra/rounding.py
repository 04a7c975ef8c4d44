"""libdevice's arithmetic that rounds in a given direction: ``_rd`` down, ``_ru`` up, ``_rz`` toward zero.

The sign of the rounding error of a result that is rounded to nearest decides whether it or a neighbor is the directed
result. For float32 the error is determined in float64, for float64 from an exact remainder.
"""

from __future__ import annotations

from typing import Any

from ..cast import cast
from ..constexpr import constexpr
from ..creation import full
from ..elementwise import neg
from ..math import abs, fma, sqrt
from ..op import LibraryFunction
from ..select import where
from ..types import dtype, float32, float64, int32, int64
from .written import declare

_DIRECTIONS = {"rd": "down", "ru": "up", "rz": "toward zero"}


@LibraryFunction
def is_negative(x: Any) -> Any:
    """Returns whether the sign bit is set."""
    return cast(x, int32 if x.dtype.primitive_bitwidth == 32 else int64, bitcast=True) < 0


@LibraryFunction
def neighbor(x: Any, up: Any) -> Any:
    """Returns the next float above or below."""
    wide = x.dtype.primitive_bitwidth == 64
    bits = cast(x, int64 if wide else int32, bitcast=True)
    bits = bits + (where(x > 0, 1, -1) if up else where(x > 0, -1, 1))
    smallest = 1 if up else 1 - (2**63 if wide else 2**31)
    return cast(where(x == 0, smallest, bits), x.dtype, bitcast=True)


@LibraryFunction
def directed(r: Any, below: Any, above: Any, direction: Any) -> Any:
    """Returns the directed result from one rounded to nearest, and from whether the exact one is below or above."""
    if direction == "rd":
        return where(below, neighbor(r, False), r)
    if direction == "ru":
        return where(above, neighbor(r, True), r)
    negative = is_negative(r)
    return where(negative & above, neighbor(r, True), where(~negative & below, neighbor(r, False), r))


@LibraryFunction
def to_single(s: Any, e: Any, direction: Any) -> Any:
    """Returns the sum of two float64 as float32. The second is at most half a unit in the last place of the first."""
    r = cast(s, float32)
    wide = cast(r, float64)
    return directed(r, (wide > s) | ((wide == s) & (e < 0)), (wide < s) | ((wide == s) & (e > 0)), direction)


@LibraryFunction
def two_sum(a: Any, b: Any) -> Any:
    """Returns a sum and its exact rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@LibraryFunction
def _added(a: Any, b: Any, direction: Any) -> Any:
    s, e = two_sum(cast(a, float64), cast(b, float64))
    if a.dtype == float32:
        r = to_single(s, e, direction)
    else:
        # The exact value of an overflowing sum of finite numbers is below infinity.
        e = where((abs(s) == float("inf")) & (abs(a) != float("inf")) & (abs(b) != float("inf")), neg(s), e)
        r = directed(s, e < 0, e > 0, direction)
    if direction == "rd":
        r = where(s == 0, where(is_negative(a) | is_negative(b), -0.0, 0.0), r)
    return r


@LibraryFunction
def _subtracted(a: Any, b: Any, direction: Any) -> Any:
    return _added(a, neg(b), direction)


@LibraryFunction
def _scale(x: Any) -> Any:
    """Returns a power of two that scales a number below one away from the subnormal range."""
    return where(abs(x) < 1.0, 4.149515568880993e180, 1.0).to(float64)


@LibraryFunction
def _signed(r: Any, residue: Any, a: Any, b: Any, direction: Any) -> Any:
    """Returns the directed product or quotient from the sign of its error. An infinite result of finite operands is too
    far from zero."""
    finite = (abs(a) != float("inf")) & (abs(b) != float("inf"))
    residue = where((abs(r) == float("inf")) & finite, neg(r), residue)
    return directed(r, residue < 0, residue > 0, direction)


@LibraryFunction
def _multiplied(a: Any, b: Any, direction: Any) -> Any:
    if a.dtype == float32:
        return to_single(cast(a, float64) * cast(b, float64), 0.0, direction)
    r = a * b
    # 2**600 scales tiny factors, so that their product is exact.
    small = abs(r) < 1.1830521861667747e-271
    by_a, by_b = where(small, _scale(a), 1.0), where(small, _scale(b), 1.0)
    return _signed(r, fma(a * by_a, b * by_b, neg(r * by_a * by_b)), a, b, direction)


@LibraryFunction
def _divided(a: Any, b: Any, direction: Any) -> Any:
    if a.dtype == float32:
        return to_single(cast(a, float64) / cast(b, float64), 0.0, direction)
    r = a / b
    small = abs(a) < 3.872591914849318e-121
    by_a = where(small, 4.149515568880993e180, 1.0).to(float64)
    by_b = where(small & (abs(b) < 1.0), 4.149515568880993e180, 1.0).to(float64)
    by_r = where(small & (abs(b) >= 1.0), 4.149515568880993e180, 1.0).to(float64)
    residue = fma(neg(r * by_r), b * by_b, a * by_a)
    # Division by zero is exact.
    return _signed(r, where(is_negative(b), neg(residue), residue), a, where(b == 0, float("inf"), b), direction)


@LibraryFunction
def _inverted(a: Any, direction: Any) -> Any:
    return _divided(full(a.shape, 1.0, a.dtype), a, direction)


@LibraryFunction
def _rooted(a: Any, direction: Any) -> Any:
    if a.dtype == float32:
        return to_single(sqrt(cast(a, float64)), 0.0, direction)
    r = sqrt(a)
    up = where(a < 3.872591914849318e-121, 2.037035976334486e90, 1.0).to(float64)
    residue = fma(neg(r * up), r * up, a * up * up)
    return directed(r, residue < 0, residue > 0, direction)


@LibraryFunction
def _fused(a: Any, b: Any, c: Any, direction: Any) -> Any:
    if a.dtype == float32:
        product = cast(a, float64) * cast(b, float64)
        s, e = two_sum(product, cast(c, float64))
        r = to_single(s, e, direction)
        exact = s == 0
    else:
        product = a * b
        r = fma(a, b, c)
        residue = _missing(a, b, c, r)
        exact = (r == 0) & (residue == 0)
        r = directed(r, residue < 0, residue > 0, direction)
    if direction == "rd":
        r = where(exact, where(is_negative(product) | is_negative(c), -0.0, 0.0), r)
    return r


@LibraryFunction
def _moderate(x: Any) -> Any:
    """Returns a power of two that scales a factor so that products and their errors neither overflow nor underflow."""
    up = where(abs(x) < 3.872591914849318e-121, 4.149515568880993e180, 1.0).to(float64)
    return where(abs(x) > 2.582249878086909e120, 2.409919865102884e-181, up)


@LibraryFunction
def _missing(a: Any, b: Any, c: Any, r: Any) -> Any:
    """Returns a number with the sign of a * b + c - r, where r is a * b + c rounded to nearest.

    The algorithm is Boldo's and Muller's, which must not overflow or underflow. So the factors are scaled, and if the
    terms differ by more than the bits of a product, only the sign of the smaller one is used.
    """
    by_a, by_b = _moderate(a), _moderate(b)
    product = (a * by_a) * (b * by_b)
    rest = fma(a * by_a, b * by_b, neg(product))
    # The scales are applied one after the other, as their product may be out of range. Inverse scales cancel.
    by_a, by_b = where(by_a * by_b == 1, 1.0, by_a).to(float64), where(by_a * by_b == 1, 1.0, by_b).to(float64)
    term, whole = (c * by_a) * by_b, (r * by_a) * by_b
    # 2**-120
    small = abs(product) * 7.52316384526264e-37
    term = where((abs(term) < small) & (c != 0), where(c < 0, neg(small), small), term)
    sum_, below = two_sum(term, rest)
    top, bottom = two_sum(product, sum_)
    found = ((top - whole) + bottom) + below
    found = where(abs(product) < abs(term) * 7.52316384526264e-37, product, found)
    finite = (abs(a) < float("inf")) & (abs(b) < float("inf")) & (abs(c) < float("inf"))
    # An infinite result of finite numbers is too far from zero.
    return where(finite, where(abs(r) == float("inf"), neg(r), found), 0.0)


def _both(stem: str, arity: int) -> dict[tuple[dtype, ...], str]:
    """Returns the symbols of a function of floats, without the direction."""
    return {(float32,) * arity: f"f{stem}", (float64,) * arity: f"d{stem}"}


def _directions(stem: str, kinds: dict[tuple[dtype, ...], str], function: Any, summary: str) -> None:
    """Declares the three directions of a function."""
    arity = len(next(iter(kinds)))
    for suffix, words in _DIRECTIONS.items():
        direction = constexpr(suffix)
        if arity == 1:

            def rounded(x: Any, function: Any = function, direction: Any = direction) -> Any:
                return function(x, direction)
        elif arity == 2:

            def rounded(x: Any, y: Any, function: Any = function, direction: Any = direction) -> Any:  # type: ignore
                return function(x, y, direction)
        else:

            def rounded(x: Any, y: Any, z: Any, function: Any = function, direction: Any = direction) -> Any:  # type: ignore
                return function(x, y, z, direction)

        declare(f"{stem}_{suffix}", {kind: f"{of_kind}_{suffix}" for kind, of_kind in kinds.items()}, rounded,
                f"{summary}, rounded {words}.")  # fmt: skip


_directions("add", _both("add", 2), _added, "The sum ``x + y``")
_directions("sub", _both("sub", 2), _subtracted, "The difference ``x - y``")
_directions("mul", _both("mul", 2), _multiplied, "The product ``x * y``")
_directions("div", _both("div", 2), _divided, "The quotient ``x / y``")
_directions("rcp", _both("rcp", 1), _inverted, "The quotient ``1 / x``")
_directions("sqrt", _both("sqrt", 1), _rooted, "The square root")
_directions("fma", {(float32,) * 3: "fmaf", (float64,) * 3: "fma"}, _fused, "The sum ``x * y + z``")
