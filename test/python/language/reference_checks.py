"""Reproducible values, and comparison with a reference within the tolerance of each dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import torch

Run = Callable[..., None]

# Relative and absolute tolerance against a reference in float64.
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]


def numbers(dtype: torch.dtype, *shape: int, low: float = -4, high: float = 4) -> torch.Tensor:
    """Returns reproducible values of a dtype."""
    generator = torch.Generator().manual_seed(len(shape) * 1000 + sum(shape))
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) > 0.5
    if dtype.is_floating_point:
        return (torch.rand(shape, generator=generator, dtype=torch.float64) * (high - low) + low).to(dtype)
    low = 0 if dtype == torch.uint8 else low
    return torch.randint(int(low), int(high) + 1, shape, generator=generator).to(dtype)


def flushed(array: np.ndarray) -> np.ndarray:
    """Models float32 arithmetic of Triton's kernels on a GPU: denormals are zeros with their signs."""
    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), array), array)


def rounded_once(exact: Fraction, dtype: torch.dtype) -> float:
    """Rounds a number to a float of 16 bits: to nearest, ties to even."""
    if exact == 0:
        return 0.0
    info = torch.finfo(dtype)
    bits = 1 - round(math.log2(info.eps))
    size = abs(exact).numerator.bit_length() - abs(exact).denominator.bit_length()
    size -= Fraction(2) ** size > abs(exact)
    step = Fraction(2) ** (max(size, round(math.log2(info.tiny))) + 1 - bits)
    value = round(exact / step) * step  # Python's own rounding is to even
    return float(value) if abs(value) <= info.max else math.copysign(math.inf, value)


def check(actual: torch.Tensor, expected: Any, scale: float = 1.0) -> None:
    """Compares with a reference: floats within the tolerance of their type, anything else exactly."""
    reference = expected if isinstance(expected, torch.Tensor) else torch.from_numpy(np.asarray(expected))
    if actual.dtype in TOLERANCE:
        limit = TOLERANCE[actual.dtype] * scale
        torch.testing.assert_close(actual.double(), reference.double(), rtol=limit, atol=limit, equal_nan=True)
    else:
        assert torch.equal(actual, reference.to(actual.dtype)), f"{actual} differs from {reference}"
