"""Tests of the order of loads of scalars among stores of blocks."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def of_a_block(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < BLOCK)
    tl.store(x_ptr + at, x + 1, mask=at < BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + at, mask=at < BLOCK), 0))
    tl.store(out_ptr + 1, tl.sum(x, 0))


@pytest.mark.parametrize("block", [1, 2, 16])
def test_load_follows_preceding_store(run: Run, block: int) -> None:
    x, out = torch.full((block,), 3), torch.zeros(2, dtype=torch.int64)
    run(of_a_block, (1,), x, out, BLOCK=block)
    assert out.tolist() == [4 * block, 3 * block]


@blockdsl.jit
def of_a_block_in_steps(x_ptr, out_ptr):
    at = tl.program_id(0) + tl.arange(0, 1)[:, None, None] + tl.arange(0, 1)[None, :, None]
    x = tl.load(x_ptr + at, mask=at < 4)
    tl.store(x_ptr + at, tl.flip(x, 0) + 1, mask=at < 4)
    total = tl.sum(tl.load(x_ptr + at, mask=at < 4).max(2), None, keep_dims=True)
    tl.store(out_ptr + tl.program_id(0) + tl.arange(0, 1)[:, None], total * total)


def test_load_reduced_twice_follows_preceding_store(run: Run) -> None:
    x, out = torch.tensor([5, -7, 0, 9]), torch.zeros(4, dtype=torch.int64)
    run(of_a_block_in_steps, (4,), x, out)
    assert x.tolist() == [6, -6, 1, 10]
    assert out.tolist() == [36, 36, 1, 100]


@blockdsl.jit
def at_what_a_sum_says(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    """The sum is a loop that could be fused with the store; the load is between them."""
    at = tl.arange(0, BLOCK)
    index = tl.sum(tl.load(x_ptr + at), 0)
    number = tl.load(y_ptr + index)
    tl.store(y_ptr + at, 5)
    tl.store(out_ptr, number)
    tl.store(out_ptr + 1, tl.load(y_ptr + index))


@pytest.mark.parametrize("block", [1, 2, 16, 64])
def test_scalar_load_precedes_following_store(run: Run, block: int) -> None:
    x, y, out = torch.zeros(block, dtype=torch.int64), torch.full((block,), 7), torch.zeros(2, dtype=torch.int64)
    run(at_what_a_sum_says, (1,), x, y, out, BLOCK=block)
    assert out.tolist() == [7, 5]
