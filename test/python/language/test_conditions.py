"""Tests of conditions of ``if``, ``while`` and conditional expressions: scalars, blocks of one element, constants."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def of_one_element(x_ptr, out):
    one = tl.load(x_ptr + tl.arange(0, 1))
    square = tl.load(x_ptr + tl.arange(0, 1)[:, None])
    if one > 0:
        tl.store(out, 1)
    elif square:
        tl.store(out, 2)
    tl.store(out + 1, 3 if one < 0 else 4)
    iterations = tl.arange(0, 1) * 0
    while iterations < 3:
        iterations += 1
    tl.store(out + 2 + tl.arange(0, 1), iterations)


@pytest.mark.parametrize(("value", "expected"), [(1.5, [1, 4, 3]), (-1.5, [2, 3, 3]), (0.0, [0, 4, 3])])
def test_one_element_block_as_condition(run: Run, value: float, expected: list[int]) -> None:
    out = torch.zeros(3, dtype=torch.int32)
    run(of_one_element, (1,), torch.full((4,), value), out)
    assert out.tolist() == expected


@blockdsl.jit
def never(out, STOP: tl.constexpr):
    while not STOP:
        tl.store(out, 1)
    tl.store(out + 1, 2)


def test_loop_known_not_to_run(run: Run) -> None:
    out = torch.zeros(2, dtype=torch.int32)
    run(never, (1,), out, STOP=True)
    assert out.tolist() == [0, 2]
