"""Inputs, and the distance between a result and the truth in ulp."""

from __future__ import annotations

import numpy as np

MANTISSA = {np.dtype(np.float16): 10, np.dtype(np.float32): 23, np.dtype(np.float64): 52}
LEAST_EXPONENT = {np.dtype(np.float16): -14, np.dtype(np.float32): -126, np.dtype(np.float64): -1022}

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.0, -2.0, 0.25, 3.0, -3.0]


def inputs(domain: tuple[float, float], count: int, dtype: np.dtype, seed: int, with_special: bool = True) -> np.ndarray:
    """A third spread evenly, a third by exponent, a third near 1 and the ends; and every special value."""
    random = np.random.default_rng(seed)
    low, high = domain
    third = count // 3
    even = random.uniform(max(low, -1e3), min(high, 1e3), third)
    tiny = float(np.finfo(dtype).smallest_subnormal)
    magnitude = np.exp(random.uniform(np.log(tiny), np.log(max(abs(low), abs(high))), third))
    sign = random.choice([-1.0, 1.0], third) if low < 0 else np.ones(third)
    spread = np.clip(magnitude * sign, low, high)
    near = np.clip(random.choice([low, high, 1.0, 0.0], count - 2 * third) + random.normal(0, 0.3, count - 2 * third), low, high)
    values = np.concatenate([even, spread, near]).astype(dtype)
    if with_special:
        info = np.finfo(dtype)
        ends = [info.tiny, -info.tiny, info.smallest_subnormal, -info.smallest_subnormal, info.max, -info.max]
        values[: len(SPECIAL) + len(ends)] = np.array(SPECIAL + [float(e) for e in ends], dtype)
    return values


def ulps(got: np.ndarray, truth: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Distance in units of the last place of the truth; infinite where one is special and the other is not."""
    dtype = np.dtype(dtype)
    with np.errstate(all="ignore"):
        wide = got.astype(np.longdouble)
        truth = truth.astype(np.longdouble)
        exponent = np.maximum(np.floor(np.log2(np.abs(truth))), LEAST_EXPONENT[dtype])
        unit = np.exp2(np.where(np.isfinite(exponent), exponent, LEAST_EXPONENT[dtype]) - MANTISSA[dtype])
        distance = np.abs(wide - truth) / unit
    # Rounding to infinity is right where the truth is nearer to it than to the largest number.
    rounded = truth.astype(dtype)
    same = (np.isnan(got) & np.isnan(truth)) | (got == rounded)
    special = ~np.isfinite(got) | ~np.isfinite(rounded)
    # The largest number may come out where infinity is the nearest, and the other way round, within an ulp.
    largest = np.longdouble(np.finfo(dtype).max)
    near_overflow = (np.abs(truth) > largest * (1 - np.longdouble(2.0) ** -(MANTISSA[dtype] - 1))) & ~np.isnan(got)
    near_overflow &= np.abs(got.astype(np.longdouble)) >= largest * (1 - np.longdouble(2.0) ** -(MANTISSA[dtype] - 1))
    result = np.where(special & ~near_overflow, np.inf, distance)
    result = np.where(special & near_overflow, 1.0, result)
    return np.where(same & special, 0.0, np.where(same, np.minimum(distance, 0.5), result))
