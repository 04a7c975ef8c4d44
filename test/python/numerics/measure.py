"""Inputs, and the distance between a result and the exact value in ulp."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.0, -2.0, 0.25, 3.0, -3.0]


def special_values(dtype: np.dtype[Any]) -> Array:
    """Numbers at which formulas are often wrong."""
    info = np.finfo(dtype)
    ends = [info.tiny, info.smallest_subnormal, info.max]
    return np.array([*SPECIAL, *map(float, ends), *(-float(end) for end in ends)], dtype)


def inputs(domain: tuple[float, float], count: int, dtype: np.dtype[Any], seed: int) -> Array:
    """Inputs: a third uniform, a third by exponent, and a third around the domain's ends, 0 and 1."""
    random = np.random.default_rng(seed)
    low, high = domain
    third = count // 3
    even = random.uniform(max(low, -1e3), min(high, 1e3), third)
    least = np.log(float(np.finfo(dtype).smallest_subnormal))
    magnitude = np.exp(random.uniform(least, np.log(max(abs(low), abs(high))), third))
    sign = random.choice([-1.0, 1.0], third) if low < 0 else np.ones(third)
    centre = random.choice([low, high, 1.0, 0.0], count - 2 * third)
    near = centre + random.normal(0, 0.3, centre.size)
    return np.clip(np.concatenate([even, magnitude * sign, near]), low, high).astype(dtype)


def ulps(got: Array, truth: Array) -> Array:
    """Returns the distance from the exact value, which has a wider type, in ulp; infinite if only one is special."""
    info = np.finfo(got.dtype)
    largest = np.longdouble(info.max)
    with np.errstate(all="ignore"):
        truth = truth.astype(np.longdouble)
        # Infinity is treated as the number after the largest one.
        beyond = np.longdouble(2) ** info.maxexp
        wide = np.where(np.isinf(got), np.sign(got) * beyond, got.astype(np.longdouble))
        bounded = np.where(np.abs(truth) > largest, np.sign(truth) * np.minimum(np.abs(truth), beyond), truth)
        exponent = np.floor(np.log2(np.abs(bounded)))
        exponent = np.clip(np.where(np.isfinite(exponent), exponent, info.minexp), info.minexp, info.maxexp - 1)
        distance = np.abs(wide - bounded) / np.exp2(exponent - info.nmant)
        distance = np.where(np.isinf(truth) != np.isinf(got), np.where(np.isinf(truth), np.inf, distance), distance)
    return np.where(np.isnan(got) | np.isnan(truth), np.where(np.isnan(got) & np.isnan(truth), 0.0, np.inf), distance)
