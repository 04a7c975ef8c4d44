"""libdevice's `erfcx`: exp(x * x) erfc(x), without overflow and underflow for large x."""

from __future__ import annotations

from typing import Any

from ..cast import cast
from ..elementwise import neg
from ..math import exp, fma
from ..op import LibraryFunction
from ..program import static_range
from ..select import maximum, minimum, where
from ..types import float32, float64
from .table import FUNCTIONS as TABLE
from .written import written

_erfc = TABLE["erfc"]


@LibraryFunction
def _near(x: Any) -> Any:
    """Evaluates the definition, with a correction for the rounding error of the square."""
    square = x * x
    rest = fma(x, x, neg(square))
    grown = exp(square)
    # The correction of an infinite result would be NaN.
    return where(grown == float("inf"), grown, (grown + grown * rest) * _erfc(x))


@LibraryFunction
def _far(x: Any) -> Any:
    """Evaluates the asymptotic series in 1 / (2 x * x), of which fifteen terms are enough from 10 on."""
    step = 0.5 / x / x
    total = 1.0 - step * 29.0
    for count in static_range(14):
        total = 1.0 - total * step * (27.0 - 2.0 * count)
    return total * 0.5641895835477563 / x


@written({(float32,): "erfcxf", (float64,): "erfcx"})
def erfcx(x: Any) -> Any:
    """The complement of the error function times ``exp(x * x)``."""
    wide = cast(x, float64)
    value = where(wide < 10.0, _near(minimum(wide, 10.0)), _far(maximum(wide, 10.0)))
    return cast(where(wide == wide, value, wide), x.dtype)
