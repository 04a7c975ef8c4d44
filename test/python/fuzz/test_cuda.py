"""The judge of GPUs, without one: the interpreter stands in for what stock Triton and ours leave in memory."""

from __future__ import annotations

import pytest

from fuzz import cuda, draw, judge
from fuzz.bounded import AmbiguousError


@pytest.mark.parametrize("seed", range(6))
def test_equal_results_are_equal(seed: int) -> None:
    program = draw.drawn(seed, device="cuda", without=cuda.UNLIKE)
    assert "import triton.language as tl" in program.source(library="triton")
    try:
        results = cuda.interpreted(program)
    except AmbiguousError:
        return
    assert cuda.compare_all(program, judge.meaning(program), results, results) is None


def test_a_difference_is_ours_or_the_interpreters() -> None:
    program = draw.drawn(3, device="cuda", without=cuda.UNLIKE)
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
    beside = {**right, name: (right[name][0], False)}
    found = cuda.compare_all(program, expected, right, beside)
    assert found is not None
    assert found.kind == "outside"
