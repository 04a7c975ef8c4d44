"""Tests of atomic additions with an unused result: elements at one address are added up first, others are not."""

from __future__ import annotations

import math

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

DTYPES = [torch.int32, torch.int64, torch.float16, torch.float32, torch.float64]


@blockdsl.jit
def add_at(sums_ptr, at_ptr, x_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    inside = i < n
    at = tl.load(at_ptr + i, mask=inside, other=0)
    tl.atomic_add(sums_ptr + at, tl.load(x_ptr + i, mask=inside, other=100), mask=inside, sem="relaxed")


@pytest.mark.parametrize("n", [1, 16, 77, 1024])
@pytest.mark.parametrize("size", [4, 16, 256])
@pytest.mark.parametrize("dtype", DTYPES)
def test_runs_of_equal_addresses(run: Run, dtype: torch.dtype, size: int, n: int) -> None:
    """Integers that the type represents exactly, so that any order of additions has the same result."""
    for run_length in (1, 13, 16, 100, 5000):
        at = (torch.arange(n) // run_length % 7).int()
        x = numbers(torch.int32, n, low=-3, high=3).to(dtype)
        sums = torch.arange(8).to(dtype)
        expected = sums.double().index_add_(0, at.long(), x.double())
        run(add_at, (blockdsl.cdiv(n, size),), sums, at, x, n, N=size)
        assert torch.equal(sums.double(), expected), f"runs of {run_length}"


@blockdsl.jit
def add_rows(sums_ptr, x_ptr, M: tl.constexpr, N: tl.constexpr):
    """One address for a row, and one for the block."""
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + rows * N + columns)
    tl.atomic_add(sums_ptr + rows + 0 * columns, x)
    tl.atomic_add(sums_ptr + M + 0 * rows + 0 * columns, x, mask=x > 0)


@pytest.mark.parametrize("dtype", [torch.int32, torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(1, 16), (4, 64), (8, 8), (16, 1)])
def test_one_address_for_a_row(run: Run, dtype: torch.dtype, shape: tuple[int, int]) -> None:
    x = numbers(dtype, *shape)
    sums = torch.zeros(shape[0] + 1, dtype=dtype)
    run(add_rows, (1,), sums, x, M=shape[0], N=shape[1])
    expected = torch.cat([x.double().sum(1), x.double().clamp(min=0).sum()[None]])
    check(sums, expected, scale=shape[1] * shape[0])


@blockdsl.jit
def add_some(sum_ptr, x_ptr, limit, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(sum_ptr + 0 * i, tl.load(x_ptr + i), mask=i < limit)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_masked_elements_are_not_added(run: Run, dtype: torch.dtype) -> None:
    for limit in (0, 1, 16, 17, 63, 64):
        x = torch.full((64,), -0.0, dtype=dtype)
        x[limit:] = math.nan
        total = torch.full((1,), -0.0, dtype=dtype)
        run(add_some, (1,), total, x, limit, N=64)
        assert total.item() == 0 and math.copysign(1, total.item()) == -1, f"{limit} elements"
    special = torch.zeros(64, dtype=dtype)
    special[5], total = math.inf, torch.zeros(1, dtype=dtype)
    run(add_some, (1,), total, special, 64, N=64)
    assert total.item() == math.inf
    special[40] = -math.inf
    run(add_some, (1,), total, special, 64, N=64)
    assert math.isnan(total.item())


@blockdsl.jit
def add_and_look(sum_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_add(sum_ptr + 0 * i, i + 1))


def test_old_values_of_equal_addresses_are_distinct(run: Run) -> None:
    total, old = torch.zeros(1, dtype=torch.int32), torch.zeros(64, dtype=torch.int32)
    run(add_and_look, (1,), total, old, N=64)
    assert total.item() == 64 * 65 // 2
    found = sorted(old.tolist())
    assert sorted(after - before for before, after in zip(found, [*found[1:], 2080], strict=True)) == list(range(1, 65))


@pytest.mark.cpu_only
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64])
def test_concurrent_adds_to_few_addresses(dtype: torch.dtype) -> None:
    n = 1 << 18
    x, at = torch.ones(n, dtype=dtype), (torch.arange(n) // 40 % 3).int()
    sums = torch.zeros(3, dtype=dtype)
    for _ in range(5):
        add_at[(n // 256,)](sums, at, x, n, N=256)
    assert sums.tolist() == (5 * torch.bincount(at)).tolist()
