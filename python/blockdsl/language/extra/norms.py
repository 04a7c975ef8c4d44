"""libdevice's norms of two to four numbers, without overflow and underflow of squares."""

from __future__ import annotations

from typing import Any

from ..cast import cast
from ..math import abs, sqrt
from ..op import LibraryFunction
from ..select import maximum, where
from ..types import float32, float64
from .written import written


@LibraryFunction
def _norm(values: Any) -> Any:
    """The square root of a sum of squares, in float64."""
    values = [abs(cast(value, float64)) for value in values]
    largest = values[0]
    for value in values[1:]:
        largest = maximum(largest, value)
    scale = where((largest == 0) | (largest == float("inf")), 1.0, largest)
    total = (values[0] / scale) * (values[0] / scale)
    for value in values[1:]:
        total += (value / scale) * (value / scale)
    # As for C's hypot the norm of infinity and NaN is infinity.
    return where(largest == float("inf"), largest, scale * sqrt(total))


@written({(float32,) * 3: "norm3df", (float64,) * 3: "norm3d"})
def norm3d(x: Any, y: Any, z: Any) -> Any:
    """The length of a vector of three numbers."""
    return cast(_norm([x, y, z]), x.dtype)


@written({(float32,) * 4: "norm4df", (float64,) * 4: "norm4d"})
def norm4d(x: Any, y: Any, z: Any, w: Any) -> Any:
    """The length of a vector of four numbers."""
    return cast(_norm([x, y, z, w]), x.dtype)


@written({(float32,) * 2: "rhypotf", (float64,) * 2: "rhypot"})
def rhypot(x: Any, y: Any) -> Any:
    """One over the length of a vector of two numbers."""
    return cast(1.0 / _norm([x, y]), x.dtype)


@written({(float32,) * 3: "rnorm3df", (float64,) * 3: "rnorm3d"})
def rnorm3d(x: Any, y: Any, z: Any) -> Any:
    """One over the length of a vector of three numbers."""
    return cast(1.0 / _norm([x, y, z]), x.dtype)


@written({(float32,) * 4: "rnorm4df", (float64,) * 4: "rnorm4d"})
def rnorm4d(x: Any, y: Any, z: Any, w: Any) -> Any:
    """One over the length of a vector of four numbers."""
    return cast(1.0 / _norm([x, y, z, w]), x.dtype)


@written({(float32,): "frsqrt_rn"})
def rsqrt_rn(x: Any) -> Any:
    """One over the square root, rounded to the nearest."""
    return cast(1.0 / sqrt(cast(x, float64)), float32)
