"""Tests of carried blocks that are read at other indices than written: gathered, reversed, after the loop."""

from __future__ import annotations

import pytest
import torch
from reference_checks import INTEGERS, Run, numbers

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def mixed(x_ptr, at_ptr, out_ptr, iterations, FORM: tl.constexpr, N: tl.constexpr):
    """Stores the block that the last iteration gathered, and then its result."""
    i = tl.arange(0, N)
    v = tl.load(x_ptr + i)
    at = tl.load(at_ptr + i)
    if FORM == "flipped before":
        v = tl.flip(v, 0)
    last = tl.zeros([N], x_ptr.dtype.element_ty)
    for _ in range(iterations):
        gathered = tl.gather(v, at, 0)
        if FORM != "kept by nobody":
            last = gathered
        if FORM == "counted up":
            v = v + 1
        elif FORM == "sum of both":
            v = v ^ (gathered + tl.gather(v, at ^ 1, 0))
        else:
            v = v ^ gathered
    tl.store(out_ptr + i, last)
    tl.store(out_ptr + N + i, v)


@pytest.mark.parametrize("form", ["kept by nobody", "replaced", "counted up", "flipped before", "sum of both"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_gathered_and_replaced_in_one_iteration(run: Run, dtype: torch.dtype, form: str) -> None:
    for size in (16, 128):
        x, at = numbers(dtype, size, low=0, high=100), torch.randperm(size).to(torch.int32)
        for iterations in (0, 1, 2, 5):
            out = torch.zeros(2 * size, dtype=dtype)
            run(mixed, (1,), x, at, out, iterations, FORM=form, N=size)
            v, last, index = x.clone(), torch.zeros(size, dtype=dtype), at.long()
            if form == "flipped before":
                v = v.flip(0)
            for _ in range(iterations):
                gathered = v[index]
                if form != "kept by nobody":
                    last = gathered
                if form == "counted up":
                    v = v + 1
                elif form == "sum of both":
                    v = v ^ (gathered + v[index ^ 1])
                else:
                    v = v ^ gathered
            assert torch.equal(out, torch.cat([last, v])), f"{size} elements, {iterations} turns"
