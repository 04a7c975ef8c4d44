"""Tests of transposed accesses: every dtype, ragged, masked, between other blocks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reference_checks import FLOATS, INTEGERS, Run, check, numbers

import blockdsl
import blockdsl.language as tl
from guarded import Guarded

DTYPES = [*FLOATS, *INTEGERS, torch.bool]
SIZES = [(1, 1), (1, 70), (3, 9), (16, 16), (33, 64), (70, 41)]
WINDOWS = [
    (0, 64, 0, 64),
    (0, 0, 0, 64),
    (0, 1, 0, 64),
    (0, 40, 0, 9),
    (3, 60, 7, 61),
    (5, 64, 31, 33),
    (17, 17, 0, 64),
    (0, 64, 50, 3),
    (63, 64, 0, 1),
]
"""First and last row, first and last column, of 64."""


@blockdsl.jit
def copy(x_ptr, out_ptr, m, n, pitch, out_pitch, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    inside = (row < m) & (column < n)
    x = tl.load(x_ptr + row * pitch + column, mask=inside)
    tl.store(out_ptr + column * out_pitch + row, x, mask=inside)


@pytest.mark.parametrize("blocks", [(64, 64), (16, 32), (4, 128), (128, 4), (64, 2)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_matrix_is_transposed(run: Run, dtype: torch.dtype, blocks: tuple[int, int]) -> None:
    rows, columns = blocks
    for m, n in SIZES:
        x = numbers(dtype, m, n + 3)[:, :n]
        out = torch.zeros(n, m + 5, dtype=dtype)
        grid = (blockdsl.cdiv(n, columns), blockdsl.cdiv(m, rows))
        run(copy, grid, x, out, m, n, x.stride(0), out.stride(0), ROWS=rows, COLUMNS=columns)
        assert torch.equal(out[:, :m], x.T), f"{m} x {n}"
        assert not out[:, m:].any()


@blockdsl.jit
def padded(x_ptr, out_ptr, top, m, left, n, SIZE: tl.constexpr):
    row, column = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    inside = (row >= top) & (row < m) & (column >= left) & (column < n)
    x = tl.load(x_ptr + row * SIZE + column, mask=inside, other=7)
    tl.store(out_ptr + column * SIZE + row, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_elements_are_other(run: Run, dtype: torch.dtype) -> None:
    x = numbers(dtype, 64, 64)
    for top, m, left, n in WINDOWS:
        out, expected = torch.zeros_like(x), torch.full_like(x, 7)
        expected[top:m, left:n] = x[top:m, left:n]
        run(padded, (1,), x, out, top, m, left, n, SIZE=64)
        assert torch.equal(out, expected.T), (top, m, left, n)


@blockdsl.jit
def window(x_ptr, out_ptr, top, m, left, n, SIZE: tl.constexpr):
    row, column = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    inside = (row >= top) & (row < m) & (column >= left) & (column < n)
    x = tl.load(x_ptr + row * SIZE + column, mask=inside)
    tl.store(out_ptr + column * SIZE + row, x, mask=inside)


@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16, torch.float32, torch.float64])
def test_stores_stay_within_a_window(run: Run, dtype: torch.dtype) -> None:
    x = numbers(dtype, 64, 64, low=1, high=4)
    for top, m, left, n in WINDOWS:
        out, expected = torch.zeros_like(x), torch.zeros_like(x)
        expected[top:m, left:n] = x[top:m, left:n]
        run(window, (1,), x, out, top, m, left, n, SIZE=64)
        assert torch.equal(out, expected.T), (top, m, left, n)


@blockdsl.jit
def chosen(x_ptr, keep_ptr, out_ptr, SIZE: tl.constexpr):
    row, column = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    keep = tl.load(keep_ptr + row * SIZE + column)
    x = tl.load(x_ptr + row * SIZE + column, mask=keep, other=-1)
    tl.store(out_ptr + column * SIZE + row, x, mask=(row + column) % 3 != 0)


def test_masks_that_bound_no_loop(run: Run) -> None:
    x, keep = numbers(torch.float32, 64, 64), numbers(torch.bool, 64, 64)
    out, index = torch.zeros_like(x), torch.arange(64)
    run(chosen, (1,), x, keep, out, SIZE=64)
    expected = torch.where(keep, x, -1).T * ((index[:, None] + index) % 3 != 0)
    assert torch.equal(out, expected)


@blockdsl.jit
def kept(x_ptr, keep_ptr, far_ptr, out_ptr, far_out_ptr, top, m, left, n, SIZE: tl.constexpr):
    row, column = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    inside = (row >= top) & (row < m) & (column >= left) & (column < n)
    keep = tl.load(keep_ptr + row * SIZE + column)
    x = tl.load(x_ptr + row * SIZE + column)
    tl.store(out_ptr + column * SIZE + row, x, mask=keep & inside)
    far = tl.load(far_ptr + column * SIZE + row, mask=~keep, other=5)
    tl.store(far_out_ptr + column * SIZE + row, far, mask=inside)


@pytest.mark.parametrize("size", [8, 16, 64])
@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16, torch.float32, torch.int64])
def test_transposed_masks_are_read_within_bounds(run: Run, dtype: torch.dtype, size: int) -> None:
    x, far = numbers(dtype, size, size, low=1, high=4), numbers(dtype, size, size, low=1, high=4)
    keep = numbers(torch.bool, size, size)
    for top, m, left, n in WINDOWS:
        inside = torch.zeros(size, size, dtype=torch.bool)
        inside[top:m, left:n] = True
        out, far_out = torch.zeros_like(x), torch.zeros_like(x)
        run(kept, (1,), x, keep, far, out, far_out, top, m, left, n, SIZE=size)
        assert torch.equal(out, torch.where(keep & inside, x, 0).T), (top, m, left, n)
        expected = torch.where(keep, 5, far.T)
        assert torch.equal(far_out, torch.where(inside, expected, 0).T), (top, m, left, n)


@pytest.mark.cpu_only
def test_masked_transposed_elements_are_not_accessed() -> None:
    """Lanes beyond the bounds repeat the last lane's mask, which does not hold for their own elements."""
    for m in (1, 3, 9, 15, 16):
        data = Guarded(np.ones((16, 16), "float32"), at_end=True)
        far_data = Guarded(np.ones(15 * 16 + m, "float32"), at_end=True)
        x = torch.frombuffer(data.map, dtype=torch.float32, count=256, offset=data.offset)
        far = torch.frombuffer(far_data.map, dtype=torch.float32, count=15 * 16 + m, offset=far_data.offset)
        keep = (torch.arange(16) >= m)[:, None].expand(16, 16).contiguous()
        out, far_out = torch.zeros(16, 16), torch.zeros(16, 16)
        kept[(1,)](x, keep, far, out, far_out, 0, m, 0, 16, SIZE=16)
        assert not out.any()
        assert torch.equal(far_out[:, :m], torch.ones(16, m))


@blockdsl.jit
def mixed(a_ptr, b_ptr, c_ptr, scale_ptr, shift_ptr, out_ptr, n, SIZE: tl.constexpr):
    row, column = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    inside = (row < n) & (column < n)
    a = tl.load(a_ptr + row * SIZE + column, mask=inside, other=0.5).to(tl.float32)
    b = tl.load(b_ptr + row * SIZE + column, mask=inside, other=2.5).to(tl.float32)
    c = tl.load(c_ptr + column * SIZE + row, mask=inside, other=1.5).to(tl.float32)
    scale, shift = tl.load(scale_ptr + row).to(tl.float32), tl.load(shift_ptr + column)
    tl.store(out_ptr + column * SIZE + row, tl.exp(a) * scale + b * c + shift + a)


@pytest.mark.parametrize("n", [32, 23])
@pytest.mark.parametrize("dtype", FLOATS)
def test_blocks_of_different_layouts(run: Run, dtype: torch.dtype, n: int) -> None:
    a, b, c = (numbers(dtype, 32, 32 + more)[:, more:].contiguous() for more in (0, 1, 2))
    scale, shift = numbers(dtype, 32), numbers(torch.float32, 32)
    out = torch.zeros(32, 32)
    run(mixed, (1,), a, b, c, scale, shift, out, n, SIZE=32)
    inside = torch.zeros(32, 32, dtype=torch.bool)
    inside[:n, :n] = True
    wide = [torch.where(inside, each.double(), other) for each, other in ((a, 0.5), (b, 2.5), (c.T, 1.5))]
    expected = wide[0].exp() * scale.double()[:, None] + wide[1] * wide[2] + shift.double() + wide[0]
    check(out, expected.T, scale=20)


@blockdsl.jit
def spread(x_ptr, y_ptr, out_ptr, m, n, x_step, y_step, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None].to(tl.int64)
    column = tl.arange(0, COLUMNS)[None, :].to(tl.int64)
    inside = (row >= 0) & (row < m) & (column >= 0) & (column < n)
    x = tl.load(x_ptr + row + column * x_step, mask=inside, other=0)
    y = tl.load(y_ptr + row * y_step + column, mask=inside, other=0)
    tl.store(out_ptr + row * n + column, x * y, mask=inside)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_column_times_a_row(run: Run, dtype: torch.dtype) -> None:
    # Each is a matrix with one row or column, as libraries pass them: the column is read along the rows.
    for m, n in [(16, 64), (9, 41), (3, 1)]:
        x, y, out = numbers(dtype, m), numbers(dtype, n), torch.zeros(m, n, dtype=dtype)
        run(spread, (blockdsl.cdiv(m, 4),), x, y, out, m, n, 0, 0, ROWS=4, COLUMNS=64)
        assert torch.equal(out, x[:, None] * y), (m, n)


@blockdsl.jit
def turned(x_ptr, out_ptr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    tl.store(out_ptr + at, tl.trans(tl.load(x_ptr + at)))


@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32, torch.int64])
def test_a_matrix_in_place(run: Run, dtype: torch.dtype) -> None:
    for size in (1, 2, 8, 64):
        x = numbers(dtype, size, size)
        expected = x.T.clone()
        run(turned, (1,), x, x, SIZE=size)
        assert torch.equal(x, expected)


@blockdsl.jit
def permuted(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a, b = tl.arange(0, A)[:, None, None], tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.permute(tl.load(x_ptr + (a * B + b) * C + c), (2, 0, 1))
    tl.store(out_ptr + tl.arange(0, C)[:, None, None] * (A * B) + tl.arange(0, A)[None, :, None] * B
             + tl.arange(0, B)[None, None, :], x)  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.uint8, torch.bfloat16, torch.float32])
def test_three_dimensions(run: Run, dtype: torch.dtype) -> None:
    for a, b, c in [(1, 64, 32), (4, 16, 8), (2, 1, 64), (8, 4, 4)]:
        x, out = numbers(dtype, a, b, c), torch.zeros(c, a, b, dtype=dtype)
        run(permuted, (1,), x, out, A=a, B=b, C=c)
        assert torch.equal(out, x.permute(2, 0, 1)), (a, b, c)


@blockdsl.jit
def reshaped(x_ptr, y_ptr, out_ptr, line_ptr, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, ORDER: tl.constexpr,
             MIXED: tl.constexpr, WAITS: tl.constexpr):  # fmt: skip
    i = tl.arange(0, A * B * C)
    x = tl.load(x_ptr + i, mask=i < n, other=7)
    if MIXED:
        x += tl.load(y_ptr + (i * 5 & (A * B * C - 1)))
    x = tl.permute(tl.reshape(x, (A, B, C)), ORDER)
    rows: tl.constexpr = x.shape[0]
    columns: tl.constexpr = x.shape[1] * x.shape[2]
    row, column = tl.arange(0, rows)[:, None], tl.arange(0, columns)[None, :]
    x = tl.reshape(x, (rows, columns)) * 3
    tl.store(line_ptr + i, tl.reshape(x, (A * B * C,)))
    if WAITS:
        x = tl.gather(x, tl.broadcast_to(rows - 1 - row, (rows, columns)), 0)
    tl.store(out_ptr + row * columns + column, x)


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("order", [(2, 0, 1), (2, 1, 0), (1, 2, 0), (1, 0, 2), (0, 2, 1)])
@pytest.mark.parametrize("sizes", [(1, 16, 64), (4, 4, 64), (4, 16, 16), (2, 8, 8), (16, 4, 8), (64, 2, 16), (8, 2, 4)])
def test_parts_of_lines(run: Run, sizes: tuple[int, ...], order: tuple[int, ...], waits: bool) -> None:
    count = int(np.prod(sizes))
    for dtype in (torch.uint8, torch.float32):
        for mixed, n in ((False, count), (False, count - 13), (True, count)):
            x, y = numbers(dtype, count), numbers(dtype, count)
            out, line = torch.zeros(count, dtype=dtype), torch.zeros(count, dtype=dtype)
            run(reshaped, (1,), x, y, out, line, n, *sizes, ORDER=order, MIXED=mixed, WAITS=waits)
            expected = torch.where(torch.arange(count) < n, x, 7)
            if mixed:
                expected = expected + y[torch.arange(count) * 5 % count]
            expected = 3 * expected.view(sizes).permute(order).reshape(sizes[order[0]], -1)
            assert torch.equal(out, (expected.flip(0) if waits else expected).flatten()), (dtype, mixed, n)
            assert torch.equal(line, expected.flatten()), (dtype, mixed, n)


@blockdsl.jit
def channels_last(x_ptr, out_ptr, pixels, CHANNELS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    pixel = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + pixel + pixels * row, mask=pixel < pixels)
    out = out_ptr + row % CHANNELS + CHANNELS * pixel + pixels * CHANNELS * (row // CHANNELS)
    tl.store(out, x, mask=pixel < pixels)


@pytest.mark.parametrize("channels", [12, 16, 64, 128])
def test_quotients_and_remainders_of_rows(run: Run, channels: int) -> None:
    for size in (1, 3, 5):
        x = numbers(torch.float32, 16, channels, size, size)
        out = torch.zeros_like(x).to(memory_format=torch.channels_last)
        grid = (blockdsl.cdiv(size * size, 16), 16 * channels // 64)
        run(channels_last, grid, x, out, size * size, CHANNELS=channels, ROWS=64, COLUMNS=16)
        assert torch.equal(out, x)


@pytest.mark.cpu_only
@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_accesses_stay_within_a_matrix(dtype: str, at_end: bool) -> None:
    for m, n in [(1, 1), (9, 3), (3, 9), (64, 64), (65, 31)]:
        guarded = Guarded(np.arange(m * n).astype(dtype), at_end=at_end)
        torch_dtype = getattr(torch, dtype)
        x = torch.frombuffer(guarded.map, dtype=torch_dtype, count=m * n, offset=guarded.offset).view(m, n)
        out = torch.zeros(n, m, dtype=torch_dtype)
        copy[(blockdsl.cdiv(n, 64), blockdsl.cdiv(m, 64))](x, out, m, n, n, m, ROWS=64, COLUMNS=64)
        assert torch.equal(out, x.T), (m, n)
