"""Stores of what is computed from scans, which run in the scan's loops, against torch."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def product(a, b):
    return a * b


@blockdsl.jit
def products(
    x_ptr, out_ptr, doubled_ptr, rows, columns, across, along, M: tl.constexpr, N: tl.constexpr, REVERSE: tl.constexpr
):
    row = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    column = tl.arange(0, N)[None, :]
    mask = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * columns + column, mask, other=1)
    scanned = tl.associative_scan(x, 1, product, reverse=REVERSE)
    tl.store(out_ptr + row * across + column * along, scanned, mask)
    tl.store(doubled_ptr + row * columns + column, scanned * 2 + x, mask)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(16, 64), (21, 60), (3, 33), (35, 8)])
def test_masked_stores_in_both_directions(
    run: Run, rows: int, columns: int, transposed: bool, reverse: bool, dtype: torch.dtype
) -> None:
    # Powers of two are exact in any type.
    x = 2.0 ** torch.randint(-1, 2, (rows, columns)).clamp(-1, 1).to(dtype)
    x[:, ::2] = 1 / x[:, 1::2] if columns % 2 == 0 else 1
    padding = 7
    out = torch.full((rows * columns + padding,), -1.0, dtype=dtype)
    doubled = torch.full((rows * columns + padding,), -1.0, dtype=dtype)
    across, along = (1, rows) if transposed else (columns, 1)
    extent = max(16, 1 << (columns - 1).bit_length())
    arguments = (x, out, doubled, rows, columns, across, along)
    run(products, (-(-rows // 16),), *arguments, M=16, N=extent, REVERSE=reverse)
    expected = (x.double().flip(1).cumprod(1).flip(1) if reverse else x.double().cumprod(1)).to(dtype)
    stored = out[:-padding].reshape(columns, rows).T if transposed else out[:-padding].reshape(rows, columns)
    assert torch.equal(stored, expected)
    assert torch.equal(doubled[:-padding].reshape(rows, columns), expected * 2 + x)
    assert (out[-padding:] == -1).all()
    assert (doubled[-padding:] == -1).all()


@blockdsl.jit
def scan_in_place(x_ptr, sums_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at, at < n, other=0)
    scanned = tl.cumsum(x, 0)
    tl.store(x_ptr + at, scanned, at < n)
    tl.store(sums_ptr, tl.sum(scanned))
    tl.store(sums_ptr + 1 + at, tl.flip(scanned), at < N)


@pytest.mark.parametrize("n", [64, 50, 1])
def test_results_that_other_loops_use_are_kept(run: Run, n: int) -> None:
    x, sums = torch.arange(64.0), torch.zeros(65)
    given = torch.where(torch.arange(64) < n, x, 0)
    expected = given.cumsum(0)
    run(scan_in_place, (1,), x, sums, n, N=64)
    assert torch.equal(x, torch.where(torch.arange(64) < n, expected, torch.arange(64.0)))
    assert sums[0] == expected.sum()
    assert torch.equal(sums[1:], expected.flip(0))


@blockdsl.jit
def compaction(x_ptr, out_ptr, limit, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    sums = tl.cumsum(x, 0)
    tl.store(out_ptr + at, x, mask=sums < limit)
    place = tl.cumsum((x > 2).to(tl.int32), 0) - 1
    tl.store(out_ptr + N + place, x, mask=x > 2)


def test_masks_and_addresses_from_scans(run: Run) -> None:
    x, out = torch.randint(0, 6, (64,)).float(), torch.full((128,), -1.0)
    run(compaction, (1,), x, out, 40.0, N=64)
    assert torch.equal(out[:64], torch.where(x.cumsum(0) < 40, x, -1))
    chosen = x[x > 2]
    assert torch.equal(out[64 : 64 + len(chosen)], chosen)
    assert (out[64 + len(chosen) :] == -1).all()


@blockdsl.jit
def shifted_in_place(x_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(x_ptr + at + 1, tl.cumsum(tl.load(x_ptr + at), 0))


def test_store_to_elements_that_the_scan_reads_later(run: Run) -> None:
    x = numbers(torch.float32, 65)
    expected = torch.cat([x[:1], x[:64].cumsum(0)])
    run(shifted_in_place, (1,), x, N=64)
    check(x, expected, scale=10)
