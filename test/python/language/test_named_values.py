"""Tests of ``:=`` in expressions, in the condition of a loop and in a branch of a conditional expression."""

from __future__ import annotations

import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def counted_by_the_condition(out_ptr, start, step, end):
    at = start
    total = 0
    while (at := at + step) < end:
        total += at
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, at)


def test_assignment_in_condition_changes_carried_value(run: Run) -> None:
    for start, step, end in ((0, 1, 5), (3, 7, 50), (9, 1, 3)):
        out = torch.zeros(2, dtype=torch.int32)
        run(counted_by_the_condition, (1,), out, start, step, end)
        iterations = list(range(start + step, end, step))
        assert out.tolist() == [sum(iterations), max(start + step, (iterations or [0])[-1] + step)]


@blockdsl.jit
def read_by_the_condition(out_ptr, x_ptr):
    at = 0
    total = 0
    while (value := tl.load(x_ptr + at)) != 0 and (pair := (value, at + 1))[1] < 6:
        total += value * pair[1]
        value = -value
        total += value
        at = pair[1]
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, value)
    tl.store(out_ptr + 2, pair[1])


def test_assignment_in_condition_is_visible_in_and_after_the_body(run: Run) -> None:
    out = torch.zeros(3, dtype=torch.int32)
    run(read_by_the_condition, (1,), out, torch.tensor([5, 3, 9, 4, 7, 1], dtype=torch.int32))
    assert out.tolist() == [3 * 1 + 9 * 2 + 4 * 3 + 7 * 4, 1, 6]


@blockdsl.jit
def named_in_one_side(out_ptr, n):
    name = 2
    value = (name := n + 1) if n > 3 else name * 10 if n > 1 else (name := 7)
    tl.store(out_ptr, value)
    tl.store(out_ptr + 1, name)


def test_assignment_in_conditional_expression(run: Run) -> None:
    for n, expected in ((11, [12, 12]), (2, [20, 2]), (-3, [7, 7])):
        out = torch.zeros(2, dtype=torch.int32)
        run(named_in_one_side, (1,), out, n)
        assert out.tolist() == expected
