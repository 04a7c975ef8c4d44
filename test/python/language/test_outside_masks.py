"""Tests of masks that end a loop early: masked-off elements count nevertheless."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

inf, nan = math.inf, math.nan


def same(found: torch.Tensor, expected: list[float]) -> None:
    """Compares numbers, with NaN equal to NaN, and zeros by their sign."""
    reference = torch.tensor(expected, dtype=found.dtype)
    np.testing.assert_array_equal(found.numpy(), reference.numpy())
    zero = reference == 0
    assert torch.equal(torch.signbit(found[zero]), torch.signbit(reference[zero])), found


@blockdsl.jit
def softmax_row(x_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at, mask=at < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr, tl.sum(e, 0))
    tl.store(out_ptr + 1 + at, e / tl.sum(e, 0), mask=at < n)


@pytest.mark.parametrize("size", [8, 1024])
def test_empty_row_is_not_treated_as_zeros(run: Run, size: int) -> None:
    x, out = torch.zeros(size), torch.full((size + 1,), 7.0)
    run(softmax_row, (1,), x, out, 0, N=size)
    same(out[:3], [nan, 7, 7])
    run(softmax_row, (1,), x, out, 4, N=size)
    same(out[:6], [4, 0.25, 0.25, 0.25, 0.25, 7])
    x[:] = -inf
    run(softmax_row, (1,), x, out, 4, N=size)
    same(out[:6], [nan, nan, nan, nan, nan, 7])


@blockdsl.jit
def shifted_row(x_ptr, by_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    d = tl.load(x_ptr + at, mask=at < n, other=-float("inf")) - tl.load(by_ptr)
    tl.store(out_ptr, tl.sum(tl.exp(d), 0))
    tl.store(out_ptr + 1, tl.max(d, 0))
    tl.store(out_ptr + 2, tl.sum(tl.where(at < n, d, 0.0), 0))


@pytest.mark.parametrize("size", [8, 1024])
@pytest.mark.parametrize("by", [0.0, inf, -inf, nan])
@pytest.mark.parametrize("full", [False, True])
def test_value_subtracted_from_minus_infinity(run: Run, by: float, size: int, full: bool) -> None:
    x, out = torch.zeros(size), torch.zeros(3)
    n = size if full else 3
    run(shifted_row, (1,), x, torch.tensor([by]), out, n, N=size)
    outside = [] if full else [-inf - by]
    total = sum(np.exp(np.float64([0.0 - by] * n)).tolist() + np.exp(np.float64(outside)).tolist())
    inside = sum([0.0 - by] * n)
    largest = max([d for d in [0.0 - by, *outside] if not math.isnan(d)], default=nan)
    same(out, [total, largest, inside])


@blockdsl.jit
def shifted_rows(x_ptr, by_ptr, out_ptr, n, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    row, column = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    if AXIS == 1:
        x = tl.load(x_ptr + row * N + column, mask=(column < n) & (row < M), other=-float("inf"))
        e = tl.exp(x - tl.load(by_ptr + tl.arange(0, M))[:, None])
        tl.store(out_ptr + tl.arange(0, M), tl.sum(e, 1))
    else:
        x = tl.load(x_ptr + row * N + column, mask=(row < n) & (column < N), other=-float("inf"))
        e = tl.exp(x - tl.load(by_ptr + tl.arange(0, N))[None, :])
        tl.store(out_ptr + tl.arange(0, N), tl.sum(e, 0))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("size", [4, 64])
@pytest.mark.parametrize("n", [0, 3])
def test_each_row_has_its_own_subtrahend(run: Run, axis: int, size: int, n: int) -> None:
    x, out, by = torch.zeros(size, size), torch.zeros(size), torch.zeros(size)
    by[:4] = torch.tensor([-inf, 0.0, nan, inf])
    run(shifted_rows, (1,), x, by, out, n, M=size, N=size, AXIS=axis)
    same(out, [nan, n, nan, 0, *[n] * (size - 4)])


@blockdsl.jit
def shifted_by_blocks(x_ptr, by_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at, mask=at < n, other=-float("inf"))
    tl.store(out_ptr, tl.sum(tl.exp(x - tl.load(by_ptr + at)), 0))


def test_a_number_for_each_element_is_subtracted_everywhere(run: Run) -> None:
    x, by, out = torch.zeros(1024), torch.zeros(1024), torch.zeros(1)
    for special in [-inf, nan]:
        by[900] = special
        run(shifted_by_blocks, (1,), x, by, out, 100, N=1024)
        same(out, [nan])


@blockdsl.jit
def reductions(x_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0), 0))
    tl.store(out_ptr + 1, tl.max(tl.load(x_ptr + at, mask=at < n, other=-float("inf")), 0))
    tl.store(out_ptr + 2, tl.min(tl.load(x_ptr + at, mask=at < n, other=float("inf")), 0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("size", [8, 1024])
def test_neutral_elements_count_in_rows_without_numbers(run: Run, size: int, dtype: torch.dtype) -> None:
    """-0.0 is the sum only of zeros of that sign, +0.0 also with one +0.0; the maximum of NaN alone is NaN."""
    out = torch.zeros(3, dtype=dtype)
    zeros, nans = torch.full((size,), -0.0, dtype=dtype), torch.full((size,), nan, dtype=dtype)
    for n, total in [(size, -0.0), (size - 1, 0.0), (size // 2, 0.0), (0, 0.0)]:
        run(reductions, (1,), zeros, out, n, N=size)
        same(out, [total, -0.0 if n else -inf, -0.0 if n else inf])
    for n, largest in [(size, nan), (size - 1, -inf), (size // 2, -inf)]:
        run(reductions, (1,), nans, out, n, N=size)
        same(out, [nan, largest, -largest])


@blockdsl.jit
def product(a_ptr, b_ptr, out_ptr, a_end, b_end, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, LOW: tl.constexpr):
    row, k, column = tl.arange(0, M)[:, None], tl.arange(0, K), tl.arange(0, N)[None, :]
    # From below, the masks end where they would otherwise begin.
    a_inside = k >= K - a_end if LOW else k < a_end
    b_inside = k >= K - b_end if LOW else k < b_end
    a = tl.load(a_ptr + row * K + k[None, :], mask=a_inside[None, :], other=0.0)
    b = tl.load(b_ptr + k[:, None] * N + column, mask=b_inside[:, None], other=0.0)
    tl.store(out_ptr + row * N + column, tl.dot(a, b))


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("rows", [16, 32, 64])
@pytest.mark.parametrize("special", [inf, -inf, nan])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_zero_times_nan_or_infinity(run: Run, dtype: torch.dtype, special: float, rows: int, low: bool) -> None:
    """A step of a matmul is left out only if both operands are zero."""
    ends = [(5, 32), (32, 5), (5, 5), (20, 10), (10, 20), (0, 0), (0, 32), (32, 32)]
    for at in (3, 15, 31):
        for a_end, b_end in ends:
            a, b = torch.ones(rows, 32, dtype=dtype), torch.ones(32, 32, dtype=dtype)
            index = 31 - at if low else at
            a[1, index] = special
            b[index, 2] = -special
            out, inside_a, inside_b = torch.zeros(rows, 32, dtype=dtype), a.clone(), b.clone()
            inside_a[:, slice(0, 32 - a_end) if low else slice(a_end, 32)] = 0
            inside_b[slice(0, 32 - b_end) if low else slice(b_end, 32)] = 0
            run(product, (1,), a, b, out, a_end, b_end, M=rows, N=32, K=32, LOW=low)
            same(out, (inside_a @ inside_b).tolist())


@blockdsl.jit
def reduced_later(x_ptr, out_ptr, m, n, AXIS: tl.constexpr, WHICH: tl.constexpr, KIND: tl.constexpr):
    """The block is kept in a buffer across a store that may alias its source."""
    r, c = tl.program_id(0) * 16 + tl.arange(0, 16), tl.arange(0, 32)
    rows, columns = (r < m)[:, None], (c < n)[None, :]
    mask = (
        rows & columns
        if WHICH == "both"
        else (rows | (c < 0)[None, :] if WHICH == "rows" else columns | (r < 0)[:, None])
    )
    x = tl.load(x_ptr + r[:, None] * 32 + c[None, :], mask=mask)
    if KIND == "product":
        x = tl.where(mask, tl.dot(x, tl.load(x_ptr + c[:, None] * 32 + c[None, :]), input_precision="ieee"), 0.0)
    tl.store(x_ptr + 1024 + tl.arange(0, 16), tl.zeros((16,), tl.float32))
    at = tl.arange(0, 16 if AXIS == 1 else 32)
    tl.store(out_ptr + at, tl.max(x, AXIS) if KIND == "largest" else tl.sum(x, AXIS))


@pytest.mark.parametrize("kind", ["sum", "largest", "product"])
@pytest.mark.parametrize("which", ["rows", "columns", "both"])
@pytest.mark.parametrize("axis", [0, 1])
def test_reduction_includes_elements_beyond_an_unrelated_mask(run: Run, axis: int, which: str, kind: str) -> None:
    x = torch.randint(1, 9, (33, 32)).float()
    for m, n in ((16, 32), (9, 20), (1, 1), (0, 0)):
        out, noise = torch.full((32,), 7.0), torch.full((4096,), torch.nan)
        # Data left on the stack are NaNs.
        run(softmax_row, (1,), noise, noise, 1024, N=1024)
        run(reduced_later, (1,), x, out, m, n, AXIS=axis, WHICH=which, KIND=kind)
        mask = torch.zeros(16, 32, dtype=torch.bool)
        mask[: 16 if which == "columns" else m, : 32 if which == "rows" else n] = True
        expected = torch.where(mask, x[:16], 0.0)
        if kind == "product":
            expected = torch.where(mask, expected @ x[:32], 0.0)
        reduced = expected.amax(axis) if kind == "largest" else expected.sum(axis)
        assert torch.equal(out[: reduced.numel()], reduced), (m, n)
