"""Tests of the error of every function in ulp, on numbers of all sizes and special ones, by both sets of formulas."""

from __future__ import annotations

import numpy as np
import pytest

from numerics.functions import FUNCTIONS, Function
from numerics.measure import inputs, special_values, ulps
from numerics.stretch import HOST, PORTABLE, Kernels

TYPES = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}


@pytest.fixture(scope="module", params=[HOST, PORTABLE], ids=["host", "portable"])
def kernels(request):
    bodies = [function.kernel(dtype) for function in FUNCTIONS for dtype in TYPES]
    return Kernels(bodies, request.param)


def arguments(function: Function, dtype: str) -> list[np.ndarray]:
    count = 1200 if function.slow else 120_000
    arrays = [inputs(function.domain_of(dtype), count, TYPES[dtype], 7 + i) for i in range(function.arity)]
    special = special_values(TYPES[dtype])
    if function.slow:
        low, high = function.domain
        special = special[(special >= low) & (special <= high)]
    for array, values in zip(arrays, np.meshgrid(*[special] * function.arity), strict=True):
        array[: values.size] = values.ravel()
    return arrays


def worst(kernels: Kernels, function: Function, dtype: str) -> tuple[float, list[float]]:
    """Returns the largest error in ulp, and its input."""
    arrays = arguments(function, dtype)
    got = kernels.run(f"{function.name}_{dtype}", arrays, np.empty_like(arrays[0]))
    with np.errstate(all="ignore"):
        truth = function.reference(*(a.astype(np.float64 if dtype == "f32" else np.longdouble) for a in arrays))
    distance = ulps(got, truth)
    at = int(np.argmax(distance))
    return float(distance[at]), [float(a[at]) for a in arrays]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_function_stays_within_its_bound(kernels, function, dtype):
    distance, at = worst(kernels, function, dtype)
    assert distance <= function.bound(dtype), f"{function.name} is {distance} ulp off at {at}"
