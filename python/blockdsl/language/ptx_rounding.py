"""Clamping, rounding to integers and directed rounding for PTX in the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .math import ceil, floor
from .ptx_lanes import Block, Lanes
from .select import where
from .tensor import tensor

DIRECTIONS = {"rz": 0.0, "rm": -np.inf, "rp": np.inf}
"""The limit toward which each modifier rounds."""


def saturated(x: Block) -> Block:
    """Clamps to the range from 0 to 1; NaN becomes 0."""
    x = where(x > 0.0, x, 0.0)
    return where(x < 1.0, x, 1.0)


def rectified(x: Block) -> Block:
    """Clamps to 0 from below; NaN is unchanged."""
    return where((x > 0.0) | (x != x), x, 0.0)


def to_even(x: Block) -> Block:
    """Rounds to the nearest integer, ties to even."""
    near = floor(x)
    rest = x - near
    odd = near - floor(near * 0.5) * 2.0
    return where((rest > 0.5) | ((rest == 0.5) & (odd == 1.0)), near + 1.0, near)


def _toward_zero(x: Block) -> Block:
    return where(x < 0.0, ceil(x), floor(x))


WHOLES: dict[str, Callable[[Block], Block]] = {"rzi": _toward_zero, "rni": to_even, "rmi": floor, "rpi": ceil}


def _sum(x: Any, y: Any) -> tuple[Any, Any]:
    """Returns a sum in float64, and its rounding error."""
    total = x + y
    rest = total - x
    return total, (x - (total - rest)) + (y - rest)


_WIDE: dict[str, Callable[..., tuple[Any, Any]]] = {
    "add": _sum,
    "sub": lambda x, y: _sum(x, -y),
    "fma": lambda x, y, z: _sum(x * y, z),
    "mul": lambda x, y: (x * y, 0.0),
    "div": lambda x, y: (x / y, 0.0),
    "rcp": lambda x: (1.0 / x, 0.0),
    "sqrt": lambda x: (np.sqrt(x), 0.0),
}


def in_direction(name: str, kind: Lanes, words: list[str], *x: Block) -> Block | None:
    """Computes an f32 instruction with the rounding ``rz``, ``rm`` or ``rp``. Returns None for other types."""
    if not kind.is_float or kind.width != 32 or {"rn", "approx", "full", "relu"} & set(words):
        return None
    wide = [np.asarray(each.handle, np.float64) for each in x]
    toward = next(DIRECTIONS[word] for word in words if word in DIRECTIONS)
    with np.errstate(all="ignore"):
        number, missing = _WIDE[name](*wide)
        nearest = number.astype(np.float32)
        error = np.where(nearest == number, missing, number - nearest)
        moved = np.nextafter(nearest, np.float32(toward))
        is_moved = (
            error > 0
            if toward > 0
            else error < 0
            if toward < 0
            else np.where(np.signbit(nearest), error > 0, error < 0)
        )
        result = np.where(is_moved, moved, nearest)
    if name in ("add", "sub", "fma") and toward < 0:
        # A zero sum of numbers with different signs is negative.
        first = wide[0] * wide[1] if name == "fma" else wide[0]
        last = -wide[-1] if name == "sub" else wide[-1]
        result = np.where(number == 0, np.where(np.signbit(first) | np.signbit(last), -0.0, 0.0), result)
    rounded = tensor(result.astype(np.float32), x[0].type)
    return saturated(rounded) if "sat" in words else rounded
