"""Tests of scalars and vectors of any length against vectors of the machine's width."""

from __future__ import annotations

import numpy as np
import pytest

from numerics.functions import FUNCTIONS
from numerics.measure import inputs, ulps
from numerics.stretch import Kernels


@pytest.fixture(scope="module", params=[1, 6, 32], ids=lambda lanes: f"{lanes} lanes")
def kernels(request):
    return Kernels(function.kernel("f32", request.param) for function in FUNCTIONS)


@pytest.fixture(scope="module")
def usual():
    return Kernels(function.kernel("f32") for function in FUNCTIONS)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_length_does_not_change_the_result(kernels, usual, function):
    arrays = [inputs(function.domain, 96 * 8, np.dtype(np.float32), 3 + i) for i in range(function.arity)]
    name = f"{function.name}_f32"
    got = kernels.run(name, arrays, np.empty_like(arrays[0]))
    expected = usual.run(name, arrays, np.empty_like(arrays[0]))
    # The formulas are the same; only scaling by a power of two differs, and libm may replace a whole vector.
    assert (ulps(got, expected) <= 2 * function.bound32 + 0.5).all()


def test_scalars():
    lines = ["func.func @scalars(%p: !llvm.ptr, %out: !llvm.ptr, %n: i64) attributes {blockdsl.kernel} {"]
    lines.append("%x = llvm.load %p : !llvm.ptr -> f32")
    names = ["exp", "log", "sin", "tan", "tanh", "erf", "atan", "cbrt", "log1p"]
    for i, name in enumerate(names):
        lines.append(f"%y{i} = math.{name} %x : f32")
        lines.append(f"%a{i} = llvm.getelementptr %out[{i}] : (!llvm.ptr) -> !llvm.ptr, f32")
        lines.append(f"llvm.store %y{i}, %a{i} : f32, !llvm.ptr")
    kernels = Kernels(["\n".join([*lines, "return", "}"])])
    for x in (0.75, 1e6):
        got = kernels.run("scalars", [np.full(1, x, np.float32)], np.empty(len(names), np.float32))
        functions = {function.name: function for function in FUNCTIONS}
        with np.errstate(over="ignore"):
            truth = np.array([functions[name].reference(np.array([x]))[0] for name in names])
        bounds = np.array([functions[name].bound32 for name in names])
        assert (ulps(got, truth) <= bounds).all(), (x, got, truth)
