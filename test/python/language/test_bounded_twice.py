"""Tests of floats that are bounded twice, by selections that differ for NaN, which LLVM treats as equal."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

N = 32
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@blockdsl.jit
def bounded(x_ptr, out_ptr, BOUND: tl.constexpr, WHOLE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    bound = (i * 0 + WHOLE).to(x.dtype) if WHOLE is not None else tl.full((N,), BOUND, x.dtype)
    # Results for NaN: NaN, and the bound.
    larger, smaller = tl.where(x < bound, bound, x), tl.where(bound < x, bound, x)
    tl.store(out_ptr + i, tl.where(larger > bound, larger, bound))
    tl.store(out_ptr + N + i, tl.where(bound >= smaller, smaller, bound))
    # In the other order, and each alone.
    tl.store(out_ptr + 2 * N + i, tl.maximum(tl.where(x > bound, x, bound), bound, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 3 * N + i, larger)
    tl.store(out_ptr + 4 * N + i, tl.where(x < bound, x, bound))
    # As functions, and through memory.
    kept = tl.maximum(x, BOUND, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + 5 * N + i, tl.maximum(kept, BOUND))
    tl.store(out_ptr + 6 * N + i, tl.minimum(tl.minimum(x, BOUND, propagate_nan=tl.PropagateNan.ALL), BOUND))
    tl.store(out_ptr + 7 * N + i, kept)
    tl.store(out_ptr + 8 * N + i, tl.maximum(tl.load(out_ptr + 7 * N + i), BOUND))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("bound", "whole"), [(0.0, None), (2.0, None), (-1.0, None), (3.0, 3)])
def test_each_bound_has_its_own_nan_propagation(run: Run, dtype: torch.dtype, bound: float, whole: int | None) -> None:
    special = torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0, 1.0, -1.0, -torch.nan, bound])
    x = torch.cat([special, torch.randn(N - len(special)) * 3]).to(dtype)
    out = torch.zeros(9, N, dtype=dtype)
    run(bounded, (1,), x, out, BOUND=bound, WHOLE=whole, N=N)
    limit = torch.tensor(bound, dtype=dtype)
    dropped = torch.where(x > limit, x, limit), torch.where(x < limit, x, limit)
    kept = torch.maximum(x, limit)
    expected = (*dropped, dropped[0], kept, dropped[1], *dropped, kept, dropped[0])
    for row, reference in zip(out, expected, strict=True):
        torch.testing.assert_close(row, reference, rtol=0, atol=0, equal_nan=True)


@blockdsl.jit
def bounded_by_numbers(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    bound = tl.where(y > 1.0, y, 1.0)
    larger = tl.where(x < bound, bound, x)
    tl.store(out_ptr + i, tl.where(larger > bound, larger, bound))
    tl.store(out_ptr + N + i, larger)


@pytest.mark.parametrize("dtype", FLOATS)
def test_bound_known_not_to_be_nan(run: Run, dtype: torch.dtype) -> None:
    x = torch.tensor([torch.nan, 1.0, 2.0, -torch.inf] * (N // 4)).to(dtype)
    y = torch.tensor([torch.nan, 3.0] * (N // 2)).to(dtype)
    out = torch.zeros(2, N, dtype=dtype)
    run(bounded_by_numbers, (1,), x, y, out, N=N)
    assert out[0, :4].tolist() == [1, 3, 2, 3]
    assert out[1, :4].isnan().tolist() == [True, False, False, False]


@blockdsl.jit
def rectified(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    to = out_ptr.dtype.element_ty
    tl.store(out_ptr + i, tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL).to(to))
    tl.store(out_ptr + N + i, tl.where(x < 0, 0.0, x).to(to))
    tl.store(out_ptr + 2 * N + i, tl.where(x < -128, -128.0, x).to(to))
    tl.store(out_ptr + 3 * N + i, tl.where(x < -1000, -1000.0, x).to(to))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("to", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_nan_above_a_bound_is_0_as_an_integer(run: Run, dtype: torch.dtype, to: type) -> None:
    x = torch.tensor([torch.nan, 1.0, -3.0, 100.0] * (N // 4), dtype=dtype)
    kind = getattr(torch, np.dtype(to).name)
    out = torch.ones(4, N, dtype=torch.int64).to(kind)
    run(rectified, (1,), x, out, N=N)
    low = 0 if np.dtype(to).kind == "u" else -3
    assert out.to(torch.int64).tolist() == [[0, 1, each, 100] * (N // 4) for each in (0, 0, low, low)]
