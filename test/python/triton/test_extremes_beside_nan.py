"""Tests of ``max``, ``min``, ``argmax`` and ``argmin`` with NaN: equal results by Triton's front end and by ours."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as stock_tl
from torch.testing import assert_close

import blockdsl
import blockdsl.language as tl

ROWS, COLUMNS = 16, 64


@triton.jit
def stock_extremes(
    x_ptr, values_ptr, indices_ptr, M: stock_tl.constexpr, N: stock_tl.constexpr, L: stock_tl.constexpr,
    AXIS: stock_tl.constexpr, LEFT: stock_tl.constexpr,
):  # fmt: skip
    x = stock_tl.load(x_ptr + stock_tl.arange(0, M)[:, None] * N + stock_tl.arange(0, N)[None, :])
    at = stock_tl.arange(0, L)
    largest, index = stock_tl.max(x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    stock_tl.store(values_ptr + at, largest)
    stock_tl.store(indices_ptr + at, index)
    smallest, index = stock_tl.min(x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    stock_tl.store(values_ptr + L + at, smallest)
    stock_tl.store(indices_ptr + L + at, index)
    stock_tl.store(values_ptr + 2 * L + at, stock_tl.max(x, AXIS))
    stock_tl.store(indices_ptr + 2 * L + at, stock_tl.argmax(x, AXIS, tie_break_left=LEFT))
    stock_tl.store(values_ptr + 3 * L + at, stock_tl.min(x, AXIS))
    stock_tl.store(indices_ptr + 3 * L + at, stock_tl.argmin(x, AXIS, tie_break_left=LEFT))


@blockdsl.jit
def our_extremes(
    x_ptr, values_ptr, indices_ptr, M: tl.constexpr, N: tl.constexpr, L: tl.constexpr, AXIS: tl.constexpr,
    LEFT: tl.constexpr,
):  # fmt: skip
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    at = tl.arange(0, L)
    largest, index = tl.max(x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(values_ptr + at, largest)
    tl.store(indices_ptr + at, index)
    smallest, index = tl.min(x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(values_ptr + L + at, smallest)
    tl.store(indices_ptr + L + at, index)
    tl.store(values_ptr + 2 * L + at, tl.max(x, AXIS))
    tl.store(indices_ptr + 2 * L + at, tl.argmax(x, AXIS, tie_break_left=LEFT))
    tl.store(values_ptr + 3 * L + at, tl.min(x, AXIS))
    tl.store(indices_ptr + 3 * L + at, tl.argmin(x, AXIS, tie_break_left=LEFT))


def drawn(dtype: torch.dtype) -> torch.Tensor:
    """Many ties and NaNs; rows and columns with only NaN, and with one other number; infinities."""
    random = torch.Generator().manual_seed(3)
    x = torch.randint(-4, 4, (ROWS, COLUMNS), generator=random).double()
    x[torch.rand(ROWS, COLUMNS, generator=random) < 0.4] = torch.nan
    x[:, 0], x[1:, 1], x[:-1, 2] = torch.nan, torch.nan, torch.nan
    x[0], x[1, :-1], x[2, 1:] = torch.nan, torch.nan, torch.nan
    x[3, 0], x[4, -1] = torch.inf, -torch.inf
    return x.to(dtype)


def assert_extremes(x: torch.Tensor, axis: int, values: torch.Tensor, indices: torch.Tensor, left: bool) -> None:
    for sign, row in ((1, 0), (-1, 1), (1, 2), (-1, 3)):
        signed = sign * x.double()
        numbers = signed.nan_to_num(-torch.inf, torch.inf, -torch.inf)
        best = numbers.max(axis, keepdim=True).values
        best = torch.where(signed.isnan().all(axis, keepdim=True), torch.nan, best)
        expected = sign * best.squeeze(axis)
        assert_close(values[row].double(), expected, rtol=0, atol=0, equal_nan=True)
        equal = (signed == best) | (signed.isnan() & best.isnan())
        chosen = indices[row].long()
        assert equal.gather(axis, chosen.unsqueeze(axis)).all()
        if left:
            assert torch.equal(chosen, equal.int().argmax(axis))


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_both_front_ends_ignore_nan(dtype: torch.dtype, axis: int, left: bool) -> None:
    x = drawn(dtype)
    length = x.shape[1 - axis]
    given: dict[str, Any] = {"M": ROWS, "N": COLUMNS, "L": length, "AXIS": axis, "LEFT": left}
    results = []
    for kernel in (stock_extremes, our_extremes):
        values, indices = torch.zeros(4, length, dtype=dtype), torch.zeros(4, length, dtype=torch.int32)
        kernel[(1,)](x, values, indices, **given)
        assert_extremes(x, axis, values, indices, left)
        results.append((values, indices))
    assert_close(results[0], results[1], rtol=0, atol=0, equal_nan=True)
