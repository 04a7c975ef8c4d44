"""Tests of ops that move elements, against the corresponding functions of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run, numbers

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def moves(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns, flat = tl.arange(0, M), tl.arange(0, N), tl.arange(0, M * N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    size = M * N
    tl.store(out_ptr + columns[:, None] * M + rows[None, :], tl.trans(x))
    tl.store(out_ptr + size + flat, tl.ravel(x))
    tl.store(out_ptr + 2 * size + flat, tl.reshape(tl.permute(x, (1, 0)), [M * N]))
    tl.store(out_ptr + 3 * size + flat, x.T.reshape(M * N))
    tl.store(out_ptr + 4 * size + rows[:, None] * N + columns[None, :], tl.flip(x, 1))
    tl.store(out_ptr + 5 * size + rows[:, None] * N + columns[None, :], tl.flip(x, 0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8, torch.float16, torch.int64])
@pytest.mark.parametrize("shape", [(8, 16), (1, 4), (16, 2)])
def test_moves(run: Run, dtype: torch.dtype, shape: tuple[int, int]) -> None:
    x = numbers(dtype, *shape)
    out = torch.zeros(6, x.numel(), dtype=dtype)
    run(moves, (1,), x, out, M=shape[0], N=shape[1])
    turned = x.T.contiguous()
    for row, expected in zip(out, (turned, x, turned, turned, x.flip(1), x.flip(0)), strict=True):
        assert torch.equal(row, expected.reshape(-1))


@blockdsl.jit
def assembled(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at, twice = tl.arange(0, N), tl.arange(0, 2 * N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + twice, tl.interleave(x, y))
    tl.store(out_ptr + 2 * N + twice, tl.cat(x, y))
    pairs = tl.join(x, y)
    tl.store(out_ptr + 4 * N + twice, tl.reshape(pairs, (2 * N,)))
    left, right = tl.split(pairs)
    tl.store(out_ptr + 6 * N + at, right)
    tl.store(out_ptr + 7 * N + at, left)


def test_join_split_interleave_cat(run: Run) -> None:
    x, y = numbers(torch.float32, 16), numbers(torch.float32, 4, 4).reshape(-1)
    out = torch.zeros(8 * 16)
    run(assembled, (1,), x, y, out, N=16)
    woven = torch.stack([x, y], 1).reshape(-1)
    assert torch.equal(out, torch.cat([woven, x, y, woven, y, x]))


@blockdsl.jit
def new_axes(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    cube = x[:, None, None] * 100 + x[None, :, None] * 10 + x[None, None, :]
    where = at[:, None, None] * N * N + at[None, :, None] * N + at[None, None, :]
    tl.store(out_ptr + where, cube)
    tl.store(out_ptr + N * N * N + at, tl.squeeze(tl.unsqueeze(x, 0), 0))
    a, b = tl.broadcast(x[:, None], x[None, :])
    tl.store(out_ptr + tl.expand_dims(at, 1) * N + at[None, :], a - b)


def test_new_axes_broadcast(run: Run) -> None:
    x = torch.arange(4.0)
    out = torch.zeros(68)
    run(new_axes, (1,), x, out, N=4)
    v = x.numpy()
    cube = v[:, None, None] * 100 + v[None, :, None] * 10 + v[None, None, :]
    expected = cube.reshape(-1)
    expected[:16] = (v[:, None] - v[None, :]).reshape(-1)
    np.testing.assert_array_equal(out.numpy(), np.concatenate([expected, v]))


@blockdsl.jit
def created(out_ptr, whole_ptr, N: tl.constexpr, value):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.full((N,), 2.5, tl.float32) + tl.zeros([N], tl.float32))
    tl.store(out_ptr + N + at, tl.full([N], value, tl.float32))
    tl.store(out_ptr + 2 * N + at, tl.zeros_like(at) + tl.broadcast_to(3, (N,)))
    tl.store(whole_ptr + at, tl.arange(5, 5 + N))
    tl.store(whole_ptr + N, tl.full((1,), 7, tl.int64).item())


def test_creation(run: Run) -> None:
    out, whole = torch.zeros(12), torch.zeros(5, dtype=torch.int64)
    run(created, (1,), out, whole, N=4, value=1.5)
    assert out.tolist() == [2.5] * 4 + [1.5] * 4 + [3.0] * 4
    assert whole.tolist() == [5, 6, 7, 8, 7]


@blockdsl.jit
def picked(x_ptr, index_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at[:, None] * N + at[None, :])
    index = tl.load(index_ptr + at[:, None] * N + at[None, :])
    tl.store(out_ptr + at[:, None] * N + at[None, :], tl.gather(x, index, 0))
    tl.store(out_ptr + N * N + at[:, None] * N + at[None, :], x.gather(index, 1))


def test_gather(run: Run) -> None:
    x, index = numbers(torch.float32, 8, 8), numbers(torch.int32, 8, 8, low=0, high=7)
    out = torch.zeros(2, 8, 8)
    run(picked, (1,), x, index, out, N=8)
    assert torch.equal(out[0], torch.gather(x, 0, index.long()))
    assert torch.equal(out[1], torch.gather(x, 1, index.long()))


@blockdsl.jit
def counted(x_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    bins = tl.arange(0, BINS)
    tl.store(out_ptr + bins, tl.histogram(x, BINS))
    tl.store(out_ptr + BINS + bins, tl.histogram(x, BINS, mask=x > 2))


def test_histogram(run: Run) -> None:
    x = numbers(torch.int32, 256, low=0, high=7)
    out = torch.zeros(2, 8, dtype=torch.int32)
    run(counted, (1,), x, out, N=256, BINS=8)
    assert out[0].tolist() == torch.bincount(x, minlength=8).tolist()
    assert out[1].tolist() == torch.bincount(x[x > 2], minlength=8).tolist()


@blockdsl.jit
def counted_where(x_ptr, keep_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    at, bins = tl.arange(0, N), tl.arange(0, BINS)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + bins, tl.histogram(x, BINS))
    tl.store(out_ptr + BINS + bins, tl.histogram(x, BINS, mask=tl.load(keep_ptr + at)))
    tl.store(out_ptr + 2 * BINS + bins, tl.histogram(x, BINS, mask=at < N - 3))


# A GPU needs at least as many elements in a block as threads.
@pytest.mark.cpu_only
@pytest.mark.parametrize("bins", [1, 2, 64, 512])
@pytest.mark.parametrize("n", [1, 2, 16, 256])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_histogram_of_every_extent(run: Run, dtype: str, n: int, bins: int) -> None:
    # Numbers outside of all bins are not counted.
    x = torch.arange(n) * 7 % (bins + 3) - 1
    x = x.clamp(max=127).to(getattr(torch, dtype))
    keep = torch.arange(n) % 3 != 1
    out = torch.full((3, bins), -1, dtype=torch.int32)
    run(counted_where, (1,), x, keep, out, N=n, BINS=bins)
    for got, kept in zip(out, (torch.ones_like(keep), keep, torch.arange(n) < n - 3), strict=True):
        counted = x[kept].long()
        assert got.tolist() == torch.bincount(counted[(counted >= 0) & (counted < bins)], minlength=bins).tolist()


@blockdsl.jit
def swizzled(out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, GROUP: tl.constexpr):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), ROWS, COLUMNS, GROUP)
    tl.store(out_ptr + tl.program_id(0) * COLUMNS + tl.program_id(1), i * COLUMNS + j)


def test_swizzle2d(run: Run) -> None:
    out = torch.zeros(4, 4, dtype=torch.int32)
    run(swizzled, (4, 4), out, ROWS=4, COLUMNS=4, GROUP=2)
    # Program (i, j) of the grid has index out[i, j]; groups of two rows are visited column by column.
    walked = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)]
    assert out[:2].reshape(-1).tolist() == [row * 4 + column for row, column in walked]
    assert out[2:].reshape(-1).tolist() == [(row + 2) * 4 + column for row, column in walked]


@blockdsl.jit
def flipped_alone(x, out):
    tl.store(out + tl.arange(0, 1), tl.flip(tl.load(x + tl.arange(0, 1))))
    rows = tl.arange(0, 4)[:, None]
    tl.store(out + rows, tl.flip(tl.load(x + rows), 1))


def test_an_axis_of_one_is_its_own_reverse(run: Any) -> None:
    out = torch.zeros(4)
    run(flipped_alone, (1,), torch.arange(4.0), out)
    assert out.tolist() == [0, 1, 2, 3]


@blockdsl.jit
def numbers_by_their_bits(out, wide):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.full((4,), 200, tl.int8))
    tl.store(out + 4 + i, tl.full((4,), 0x80, tl.int8) + tl.full((4,), 2.0, tl.int8))
    tl.store(wide + i, tl.full((4,), 2**63 + 5, tl.int64))
    signed, unsigned = tl.full((4,), 3, tl.int8), tl.full((4,), 253, tl.uint8)
    tl.static_assert(tl.join(signed, unsigned).dtype == tl.int8)
    tl.store(out + 8 + tl.arange(0, 8), tl.interleave(signed, unsigned))
    tl.store(out + 16 + tl.arange(0, 8), tl.cat(unsigned, signed).to(tl.int16) - 128)


def test_bit_patterns_and_neighbors_with_opposite_sign(run: Run) -> None:
    out, wide = torch.zeros(24, dtype=torch.int8), torch.zeros(4, dtype=torch.int64)
    run(numbers_by_their_bits, (1,), out, wide)
    assert out.tolist() == [*[-56] * 4, *[-126] * 4, *[3, -3] * 4, *[125] * 4, *[-125] * 4]
    assert wide.tolist() == [5 - 2**63] * 4
