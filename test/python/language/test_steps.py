"""Tests of small strides: every dtype and distance, ragged, with offsets that wrap, at the end of memory."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reference_checks import FLOATS, INTEGERS, Run, numbers

import blockdsl
import blockdsl.language as tl
from guarded import Guarded

STEPS = [-2, 2, 3, 4, 5]


@blockdsl.jit
def every_nth(x_ptr, out_ptr, n, first, STEP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + first + at * STEP, mask=at < n), mask=at < n)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, torch.bool])
def test_every_nth_element(run: Run, dtype: torch.dtype, step: int) -> None:
    x = numbers(dtype, 1500)
    for block in (4, 16, 256):
        for n in (1, block, 293):
            out = torch.zeros(n + 1, dtype=dtype)
            first = 1 if step > 0 else 1499
            run(every_nth, (blockdsl.cdiv(n, block),), x, out, n, first, STEP=step, BLOCK=block)
            indices = torch.arange(n) * step + first
            assert torch.equal(out[:n], x[indices]), f"{n} in blocks of {block}"
            assert not out[n]


@blockdsl.jit
def whole(x_ptr, out_ptr, STEP: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i * STEP))


@pytest.mark.cpu_only
@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("step", [2, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_accesses_stay_within_first_and_last_element(dtype: str, step: int, at_end: bool) -> None:
    for size in (4, 16, 64, 1024):
        guarded = Guarded(np.arange(step * (size - 1) + 1).astype(dtype), at_end=at_end)
        torch_dtype = getattr(torch, dtype)
        x = torch.frombuffer(guarded.map, dtype=torch_dtype, count=step * (size - 1) + 1, offset=guarded.offset)
        out = torch.zeros(size, dtype=torch_dtype)
        whole[(1,)](x, out, STEP=step, N=size)
        assert torch.equal(out, x[::step])


@blockdsl.jit
def near_the_border(x_ptr, out_ptr, start, N: tl.constexpr):
    """``start`` selects offsets that are in the array, perhaps after they have wrapped."""
    at = start + tl.arange(0, N)
    offset = at * 2
    tl.store(out_ptr + tl.arange(0, N), tl.load(x_ptr + offset, mask=(offset >= 0) & (offset < 64), other=-1))


@pytest.mark.parametrize("start", [0, 5, -5, 2**30 - 16, 2**30 - 1, 2**30, 2**31 - 5, -(2**31), -(2**30) - 3])
def test_offsets_that_wrap(run: Run, start: int) -> None:
    x, out = torch.arange(64, dtype=torch.int32), torch.zeros(32, dtype=torch.int32)
    run(near_the_border, (1,), x, out, start, N=32)
    offsets = [((start + i) * 2 + 2**31) % 2**32 - 2**31 for i in range(32)]
    assert out.tolist() == [at if 0 <= at < 64 else -1 for at in offsets]


@blockdsl.jit
def pairs_in_place(x_ptr, N: tl.constexpr):
    """Copies the first element of each pair to the second: elements between loaded ones are stored by the same
    program."""
    i = tl.arange(0, N)
    even = tl.load(x_ptr + 2 * i)
    tl.store(x_ptr + 2 * i + 1, even)


def test_elements_between_strided_ones_are_written(run: Run) -> None:
    x = numbers(torch.float32, 512)
    expected = x[::2].repeat_interleave(2)
    run(pairs_in_place, (1,), x, N=256)
    assert torch.equal(x, expected)
