"""Minimum, maximum and clamp with NaN, infinities and zeros: which NaN propagates, and which is dropped."""

from __future__ import annotations

import numpy as np
import pytest

from numerics.stretch import HOST, PORTABLE, Kernels, elementwise_kernel

LANES = 16
VECTOR = f"vector<{LANES}xf32>"
OPS = {"maximumf": np.maximum, "minimumf": np.minimum, "maxnumf": np.fmax, "minnumf": np.fmin}
BOUND = 1.5


@pytest.fixture(scope="module", params=[HOST, PORTABLE], ids=["host", "portable"])
def kernels(request):
    bodies = []
    for op in OPS:
        bodies.append(elementwise_kernel(op, ["f32"] * 2, "f32", LANES, f"%y = arith.{op} %x0, %x1 : {VECTOR}"))
        bound = f"%b = arith.constant dense<{BOUND}> : {VECTOR}\n"
        first = f"{bound}%y = arith.{op} %b, %x0 : {VECTOR}"
        second = f"{bound}%y = arith.{op} %x0, %b : {VECTOR}"
        bodies.append(elementwise_kernel(f"{op}_bound_first", ["f32"], "f32", LANES, first))
        bodies.append(elementwise_kernel(f"{op}_bound_second", ["f32"], "f32", LANES, second))
    for nan in ("none", "all"):
        body = f"%y = tt.clampf %x0, %x1, %x2, propagateNan = {nan} : {VECTOR}"
        bodies.append(elementwise_kernel(f"clamp_{nan}", ["f32"] * 3, "f32", LANES, body))
    return Kernels(bodies, request.param)


def pairs() -> list[np.ndarray]:
    numbers = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1.5, 2.0, 1e-45, 3e38], np.float32)
    grid = [array.ravel() for array in np.meshgrid(numbers, numbers)]
    return [np.resize(array, 160) for array in grid]


@pytest.mark.parametrize("op", OPS)
def test_two_operands(kernels, op):
    x, y = pairs()
    np.testing.assert_array_equal(kernels.run(op, [x, y], np.empty_like(x)), OPS[op](x, y))


@pytest.mark.parametrize("where", ["first", "second"])
@pytest.mark.parametrize("op", OPS)
def test_a_bound_known_at_compile_time(kernels, op, where):
    x, _ = pairs()
    got = kernels.run(f"{op}_bound_{where}", [x], np.empty_like(x))
    np.testing.assert_array_equal(got, OPS[op](x, np.float32(BOUND)))


@pytest.mark.parametrize("nan", ["none", "all"])
def test_clamp(kernels, nan):
    x, _ = pairs()
    low, high = np.full_like(x, -0.5), np.full_like(x, 1.75)
    got = kernels.run(f"clamp_{nan}", [x, low, high], np.empty_like(x))
    larger, smaller = (np.fmax, np.fmin) if nan == "none" else (np.maximum, np.minimum)
    np.testing.assert_array_equal(got, smaller(larger(x, low), high))
