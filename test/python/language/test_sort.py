"""Sorting, against NumPy, and against stock Triton where a row holds NaN and zeros of both signs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import same_sort
import stock
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


@pytest.fixture(scope="module")
def tritons(run_directory: Path, pytestconfig: pytest.Config) -> Mapping[str, Any]:
    return stock.answers("same_sort.py", run_directory, pytestconfig.getoption("--device"))


@pytest.mark.parametrize("name", same_sort.CASES)
def test_order_is_tritons(run: Run, tritons: Mapping[str, Any], name: str) -> None:
    ours, triton_result = same_sort.result(name, run).numpy(), tritons[name]
    # tl.max may return either of two zeros.
    bits = ours.dtype if name.startswith("topk") else np.dtype(f"u{ours.itemsize}")
    np.testing.assert_array_equal(ours.view(bits), triton_result.view(bits))


@blockdsl.jit
def narrow(out_ptr, best_ptr, x_ptr, KIND: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at).to(KIND)
    tl.store(out_ptr + at, tl.sort(x, descending=DOWN).to(tl.float32))
    tl.store(best_ptr + tl.arange(0, K), tl.topk(x, K, descending=DOWN).to(tl.float32))


@pytest.mark.parametrize("kind", [tl.bfloat16, tl.float8e5, tl.float8e4nv, tl.float8e4b8, tl.float8e5b16], ids=str)
@pytest.mark.parametrize("down", [False, True])
def test_floats_missing_in_numpy(run: Run, kind: tl.dtype, down: bool) -> None:
    """Triton's interpreter compares their bits."""
    x = torch.from_numpy(same_sort.values("float32", "any", 64)).round(decimals=1)
    rounded, out, best = torch.zeros(64), torch.zeros(64), torch.zeros(8)
    run(converted, (1,), rounded, x, KIND=kind)
    run(narrow, (1,), out, best, x, KIND=kind, N=64, K=8, DOWN=down)
    assert torch.equal(out, rounded.sort(descending=down).values)
    assert torch.equal(best, rounded.topk(8, largest=down).values)


@blockdsl.jit
def converted(out_ptr, x_ptr, KIND: tl.constexpr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(KIND).to(tl.float32))


@pytest.mark.parametrize(("rows", "n"), [(1, 4096), (1, 16384), (16, 1024)])
def test_long_rows(rows: int, n: int) -> None:
    x = torch.from_numpy(same_sort.values("float32", "any", rows * n)).reshape(rows, n)
    out, best = torch.zeros_like(x), torch.zeros(rows, 64)
    same_sort.sort[(1,)](out, x, ROWS=rows, N=n, K=n, DOWN=True)
    same_sort.topk[(1,)](best, x, ROWS=rows, N=n, K=64, DOWN=True)
    assert torch.equal(out, x.sort(descending=True).values)
    assert torch.equal(best, x.topk(64).values)


@blockdsl.jit
def types(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.static_assert(x.sort().dtype == tl.int16)
    tl.static_assert(x.to(tl.float16).sort(dim=-1, descending=True).dtype == tl.float16)
    tl.static_assert(x.topk(4).dtype == tl.int32)
    tl.static_assert(x.to(tl.bfloat16).topk(4).dtype == tl.float32)
    tl.static_assert(x.topk(16).dtype == tl.int16)
    tl.static_assert(x.topk(1).dtype == tl.int32)
    one = x.reshape(16, 1).to(tl.float16)
    tl.static_assert(one.sort().type == tl.block_type(tl.float32, [16, 1]))
    tl.static_assert(one.topk(1, descending=False).type == tl.block_type(tl.float32, [16, 1]))
    tl.static_assert(x.reshape(4, 4).topk(2).shape == (4, 2))
    tl.static_assert(x.bitonic_merge(0).shape == (16,))


def test_types(run: Run) -> None:
    run(types, (1,), torch.zeros(16, dtype=torch.int16))


@blockdsl.jit
def of_sorted(x_ptr, sums_ptr, best_ptr, low_ptr, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row, at = tl.arange(0, ROWS), tl.arange(0, N)
    x = tl.load(x_ptr + row[:, None] * N + at[None, :])
    ordered = tl.sort(x)
    tl.store(sums_ptr + row, tl.sum(ordered * (at[None, :] + 1), 1))
    tl.store(best_ptr + row, tl.sum(tl.topk(x, K), 1))
    tl.store(low_ptr + at, tl.min(ordered, 0))


@pytest.mark.parametrize(("rows", "n"), [(8, 16), (2, 64), (32, 4), (64, 8), (4, 128), (1, 32)])
def test_reductions_of_sorted_rows(run: Run, rows: int, n: int) -> None:
    """Triton before 3.9 adds up lanes of other rows if a row's lanes are not contiguous: see tt-anchor-reductions."""
    x = torch.randint(-1000, 1000, (rows, n), dtype=torch.int32)
    sums, best, low = (torch.zeros(size, dtype=torch.int32) for size in (rows, rows, n))
    run(of_sorted, (1,), x, sums, best, low, ROWS=rows, N=n, K=n // 2)
    ordered = x.sort(1).values
    assert torch.equal(sums, (ordered * torch.arange(1, n + 1)).sum(1).int())
    assert torch.equal(best, ordered[:, n // 2 :].sum(1).int())
    assert torch.equal(low, ordered.min(0).values)
