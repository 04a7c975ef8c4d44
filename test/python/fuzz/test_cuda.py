"""Tests of the fuzzer's judge for GPUs, without a GPU: the interpreter replaces stock Triton and our launches."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from fuzz import cuda, draw, judge
from fuzz.bounded import AmbiguousError
from fuzz.program import Line, walk


@pytest.mark.parametrize("seed", range(6))
def test_equal_results_are_equal(seed: int) -> None:
    program = draw.drawn(seed, device="cuda", without=cuda.UNSUPPORTED)
    assert "import triton.language as tl" in program.source(library="triton")
    try:
        results = cuda.interpreted(program)
    except AmbiguousError:
        return
    assert cuda.compare_all(program, judge.meaning(program), results, results) is None


def test_difference_is_attributed_to_compiler_or_interpreter() -> None:
    program = draw.drawn(3, device="cuda", without=cuda.UNSUPPORTED)
    expected = judge.meaning(program)
    name = next(
        name for name, each in expected.items() if (each.written & (each.error == 0)).any() and "int" in each.kind
    )
    at = int((expected[name].written & (expected[name].error == 0)).argmax())
    right, wrong = cuda.interpreted(program), cuda.interpreted(program)
    wrong[name][0][at] ^= 1
    found = cuda.compare_all(program, expected, right, wrong)
    assert found is not None
    assert found.kind == "value"
    assert found.text.startswith("ours on the GPU, and stock Triton")
    found = cuda.compare_all(program, expected, wrong, wrong)
    assert found is not None
    assert found.kind == "meaning"
    found = cuda.compare_all(program, expected, wrong, right)
    assert found is not None
    assert found.kind == "meaning"
    beside = {**right, name: (right[name][0], False)}
    found = cuda.compare_all(program, expected, right, beside)
    assert found is not None
    assert found.kind == "outside"


def errors_of(kernel: Any, x: torch.Tensor, y: torch.Tensor, **constants: Any) -> list[float]:
    """Returns the error bound of each element of ``y`` on a GPU."""
    memory = interpreter.run(kernel.source, {"x": x, "y": y, **constants}, (1, 1, 1), cuda.GPUInterpreter).memory
    errors = memory.errors.get(y.data_ptr())  # type: ignore[attr-defined]
    return [0.0] * y.numel() if errors is None else errors[:: y.element_size()].tolist()


@blockdsl.jit
def mapped(x, y, function: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.arange(0, 4)
    tl.store(y + at, function(tl.load(x + at)))


@pytest.mark.parametrize("function", [tl.rsqrt, tl.sqrt, tl.log], ids=lambda function: function.name)
def test_denormals_at_a_pole_are_unspecified(function: Any) -> None:
    """On a GPU rsqrt(-2**-127) is -inf, and rsqrt(-1) is NaN; sqrt(2**-149) is 0."""
    x, y = torch.tensor([-(2.0**-127), 2.0**-149, -1.0, -0.0]), torch.zeros(4)
    assert np.isinf(errors_of(mapped, x, y, function=function)).tolist() == [True, True, False, False]


@blockdsl.jit
def halves(x, y):  # type: ignore[no-untyped-def]
    at = tl.arange(0, 4)
    tl.store(y + at, (tl.load(x + at) << 12).to(tl.float16).to(tl.float32))


@blockdsl.jit
def halves_times_zero(x, y):  # type: ignore[no-untyped-def]
    at = tl.arange(0, 4)
    tl.store(y + at, (tl.load(x + at) << 12).to(tl.float16).to(tl.float32) * 0.0)


@pytest.mark.parametrize("kernel", [halves, halves_times_zero])
def test_integers_beyond_f16_are_unspecified(kernel: Any) -> None:
    """Stock Triton widens the integer itself if LLVM derives that few of its bits are set."""
    x, y = torch.tensor([15, 16, -16, 0], dtype=torch.int32), torch.zeros(4)
    assert np.isinf(errors_of(kernel, x, y)).tolist() == [False, True, True, False]


@blockdsl.jit
def added_to_halves(x, y):  # type: ignore[no-untyped-def]
    at = tl.arange(0, 4)
    tl.store(y + at, tl.load(x + at) + tl.full((4,), 67.0, tl.float16))


def test_integers_that_f16_rounds_may_be_added_unrounded() -> None:
    """2167 + 67 is 2234 on a GPU; f16 has 2168, and then 2236."""
    x, y = torch.tensor([2167, 2166, 64, 0], dtype=torch.int32), torch.zeros(4, dtype=torch.float16)
    errors = errors_of(added_to_halves, x, y)
    assert errors[0] >= 2.0
    assert errors[1:] == [0.0, 0.0, 0.0]


@blockdsl.jit
def negated(x, y):  # type: ignore[no-untyped-def]
    at = tl.arange(0, 4)
    tl.store(y + at, (-tl.load(x + at)).to(tl.int32))


def test_negated_minimum_integer_is_unspecified() -> None:
    """ptxas negates in 32 bits if the result is widened next, and does not truncate to 16 bits before."""
    y = torch.zeros(4, dtype=torch.int32)
    x = torch.tensor([-(2**15), 2**15 - 1, 5, 0], dtype=torch.int16)
    assert errors_of(negated, x, y) == [np.inf, 0.0, 0.0, 0.0]
    assert errors_of(negated, x.to(torch.int32), y) == [0.0, 0.0, 0.0, 0.0]


@blockdsl.jit
def added_to_products(x, y):  # type: ignore[no-untyped-def]
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    factor = tl.load(x + at)
    tl.store(y + at, tl.dot(factor, factor) + 2.0**24)


def test_summand_may_initialize_the_accumulator() -> None:
    """Sixteen products of ones are 16 before 2**24 is added, and nothing one by one after it."""
    y = torch.zeros(256)
    errors = errors_of(added_to_products, torch.ones(256), y)
    assert min(errors) >= 16.0
    assert max(errors) < 64.0


def test_programs_that_differ_in_stock_triton_are_not_drawn() -> None:
    """Triton up to 3.8 makes all zeros positive, and before 3.9 divides by other rows' sums in a softmax along
    any axis but the first; floats beyond all integers are undefined; ptxas subtracts the smallest integer without
    saturation."""
    softmaxes = bounded = 0
    for seed in range(300):
        program = draw.drawn(seed, device="cuda", without=cuda.UNSUPPORTED)
        lines = [each for each in walk(program.body) if isinstance(each, Line)]
        kinds = {name: kind for each in lines for name, (kind, _) in zip(each.targets, each.kinds, strict=False)}
        softmaxes += any("softmax" in each.text for each in lines)
        bounded += any("add.sat" in each.text for each in lines)
        assert not [each for each in lines if is_decided_otherwise(each, kinds)]
    assert softmaxes and bounded


def is_decided_otherwise(each: Line, kinds: dict[str, str]) -> bool:
    kind = each.kinds[0][0] if each.kinds else ""
    negates = each.text.startswith("-{") and "float" in kind
    normalizes = "softmax" in each.text and not each.text.endswith(", 0)")
    floats = any("float" in kinds.get(name, "") for name in each.uses)
    changes = ".to(tl." in each.written() or "tl.cast(" in each.written()
    converts = "int" in kind and floats and changes and not re.search("clamp|bitcast", each.text)
    subtracts = "sub.sat" in each.text
    return negates or normalizes or subtracts or converts
