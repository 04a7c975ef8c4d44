"""Bounds and whole numbers for the instructions of PTX in the interpreter."""

from __future__ import annotations

from collections.abc import Callable

from .math import ceil, floor
from .ptx_lanes import Block
from .select import where


def saturated(x: Block) -> Block:
    """From 0 to 1, where NaN becomes 0."""
    x = where(x > 0.0, x, 0.0)
    return where(x < 1.0, x, 1.0)


def rectified(x: Block) -> Block:
    """0 and above, or NaN."""
    return where((x > 0.0) | (x != x), x, 0.0)


def to_even(x: Block) -> Block:
    """The nearest whole number; halves go to the even one."""
    near = floor(x)
    rest = x - near
    odd = near - floor(near * 0.5) * 2.0
    return where((rest > 0.5) | ((rest == 0.5) & (odd == 1.0)), near + 1.0, near)


def _toward_zero(x: Block) -> Block:
    return where(x < 0.0, ceil(x), floor(x))


WHOLES: dict[str, Callable[[Block], Block]] = {"rzi": _toward_zero, "rni": to_even, "rmi": floor, "rpi": ceil}
