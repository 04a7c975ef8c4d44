"""Reductions and scans, named ones and those with user functions, against torch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

ROWS, COLUMNS = 8, 32


@blockdsl.jit
def along_rows(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, OP: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    tl.store(out_ptr + rows, OP(x, 1))


@blockdsl.jit
def along_columns(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, OP: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    tl.store(out_ptr + columns, OP(x, 0))


NAMED: dict[str, Any] = {
    "sum": lambda x, axis: x.sum(axis), "max": lambda x, axis: x.amax(axis), "min": lambda x, axis: x.amin(axis),
    "argmax": lambda x, axis: x.argmax(axis), "argmin": lambda x, axis: x.argmin(axis),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.float16, torch.int8])
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("axis", [0, 1])
def test_named_reductions(run: Run, name: str, axis: int, dtype: torch.dtype) -> None:
    x = numbers(dtype, ROWS, COLUMNS, low=-100, high=100)
    # Integers below 32 bits are summed and compared in 32.
    kind = torch.int32 if name.startswith("arg") or dtype == torch.int8 else dtype
    out = torch.zeros(COLUMNS if axis == 0 else ROWS, dtype=kind)
    kernel = along_columns if axis == 0 else along_rows
    run(kernel, (1,), x, out, M=ROWS, N=COLUMNS, OP=getattr(tl, name))
    exact = x.double() if dtype.is_floating_point else x.long()
    check(out, NAMED[name](exact, axis), scale=200 if name == "sum" else 1)


@blockdsl.jit
def whole(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum(x))
    tl.store(out_ptr + 1, tl.max(x))
    tl.store(out_ptr + 2, x.min())
    tl.store(out_ptr + 3, tl.sum(x, axis=0, keep_dims=True).item())


def test_reductions_of_all_elements(run: Run) -> None:
    x = numbers(torch.float32, 256)
    out = torch.zeros(4)
    run(whole, (1,), x, out, N=256)
    check(out, torch.stack([x.sum(), x.max(), x.min(), x.sum()]), scale=50)


@blockdsl.jit
def with_indices(x_ptr, value_ptr, index_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    value, index = tl.max(x, 1, return_indices=True)
    tl.store(value_ptr + rows, value)
    tl.store(index_ptr + rows, index)
    value, index = tl.min(x, 1, return_indices=True, return_indices_tie_break_left=False)
    tl.store(value_ptr + M + rows, value)


def test_argmax_returns_first_of_equal_elements(run: Run) -> None:
    x = numbers(torch.int32, ROWS, COLUMNS, low=0, high=3)
    value, index = torch.zeros(2 * ROWS, dtype=torch.int32), torch.zeros(ROWS, dtype=torch.int32)
    run(with_indices, (1,), x, value, index, M=ROWS, N=COLUMNS)
    assert torch.equal(value, torch.cat([x.amax(1), x.amin(1)]))
    assert index.tolist() == [row.index(max(row)) for row in x.tolist()]


@blockdsl.jit
def weighted(value1, weight1, value2, weight2):
    weight = weight1 + weight2
    return (value1 * weight1 + value2 * weight2) / weight, weight


@blockdsl.jit
def far_from_zero(a, b):
    if tl.abs(a) > tl.abs(b):
        result = a
    else:
        result = b
    return result


@blockdsl.jit
def user_reductions(x_ptr, mean_ptr, far_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    mean, weight = tl.reduce((x, tl.full((N,), 1.0, tl.float32)), 0, weighted)
    tl.store(mean_ptr, mean)
    tl.store(mean_ptr + 1, weight)
    tl.store(far_ptr, tl.reduce(x, 0, far_from_zero))


def test_user_functions_may_take_tuples_and_branch(run: Run) -> None:
    x = numbers(torch.float32, 64)
    mean, far = torch.zeros(2), torch.zeros(1)
    run(user_reductions, (1,), x, mean, far, N=64)
    check(mean, torch.tensor([x.double().mean().item(), 64.0]), scale=4)
    assert far.item() == x[x.abs().argmax()].item()


@blockdsl.jit
def bit_reductions(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.xor_sum(x, 0))
    tl.store(out_ptr + 1, tl.reduce_or(x, 0))


def test_bit_reductions(run: Run) -> None:
    x = numbers(torch.int32, 16, low=0, high=255)
    out = torch.zeros(2, dtype=torch.int32)
    run(bit_reductions, (1,), x, out, N=16)
    parity = union = 0
    for value in x.tolist():
        parity, union = parity ^ value, union | value
    assert out.tolist() == [parity, union]


@blockdsl.jit
def softmax_rows(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    at = rows[:, None] * N + columns[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.softmax(x, 1))
    tl.store(out_ptr + M * N + at, tl.softmax(x))


def test_softmax_defaults_to_the_first_axis(run: Run) -> None:
    x = numbers(torch.float32, ROWS, COLUMNS)
    out = torch.zeros(2, ROWS, COLUMNS)
    run(softmax_rows, (1,), x, out, M=ROWS, N=COLUMNS)
    check(out, torch.stack([x.double().softmax(1), x.double().softmax(0)]), scale=4)


@blockdsl.jit
def running(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    at = rows[:, None] * N + columns[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.cumsum(x, AXIS))
    tl.store(out_ptr + M * N + at, tl.cumsum(x, AXIS, reverse=True))
    tl.store(out_ptr + 2 * M * N + at, tl.cumprod(x, AXIS))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.float64])
def test_running_sums_and_products(run: Run, axis: int, dtype: torch.dtype) -> None:
    x = numbers(dtype, ROWS, COLUMNS, low=1, high=2)
    out = torch.zeros(3, ROWS, COLUMNS, dtype=dtype)
    run(running, (1,), x, out, M=ROWS, N=COLUMNS, AXIS=axis)
    exact = x.double() if dtype.is_floating_point else x
    backwards = exact.flip(axis).cumsum(axis).flip(axis)
    check(out[:2], torch.stack([exact.cumsum(axis), backwards]), scale=50)
    check(out[2], exact.cumprod(axis).to(out.dtype), scale=100)


@pytest.mark.parametrize("shape", [(1, 8), (8, 8), (32, 16), (16, 128), (128, 4), (64, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.int64])
def test_running_sums_of_rows_of_any_length(run: Run, shape: tuple[int, int], dtype: torch.dtype) -> None:
    x = numbers(dtype, *shape, low=1, high=2)
    out = torch.zeros(3, *shape, dtype=dtype)
    run(running, (1,), x, out, M=shape[0], N=shape[1], AXIS=1)
    exact = x.double() if dtype.is_floating_point else x
    check(out[:2], torch.stack([exact.cumsum(1), exact.flip(1).cumsum(1).flip(1)]), scale=100)


@blockdsl.jit
def affine(slope1, offset1, slope2, offset2):
    return slope1 * slope2, slope2 * offset1 + offset2


@blockdsl.jit
def recurrence(slope_ptr, offset_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    _, state = tl.associative_scan((tl.load(slope_ptr + at), tl.load(offset_ptr + at)), 0, affine)
    tl.store(out_ptr + at, state)


def test_a_scan_of_pairs_solves_a_recurrence(run: Run) -> None:
    slope, offset = numbers(torch.float32, 32, low=0, high=1), numbers(torch.float32, 2, 16).reshape(-1)
    out, state, expected = torch.zeros(32), 0.0, []
    run(recurrence, (1,), slope, offset, out, N=32)
    for a, b in zip(slope.tolist(), offset.tolist(), strict=True):
        state = a * state + b
        expected.append(state)
    check(out, torch.tensor(expected), scale=10)


@blockdsl.jit
def larger_or_nan(a, b):
    return tl.where((a > b) | (a != a), a, b)


@blockdsl.jit
def largest_of_rows(x_ptr, out_ptr, columns, N: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, N)
    x = tl.load(x_ptr + row * columns + column, column < columns, other=-float("inf"))
    tl.store(out_ptr + row, tl.reduce(x, 0, larger_or_nan))


@pytest.mark.parametrize("columns", [1, 15, 70, 128])
def test_the_largest_of_a_row_or_a_nan(run: Run, columns: int) -> None:
    x = numbers(torch.float32, 5, columns, low=-4, high=-1)
    x[1, columns // 2] = torch.nan
    x[2] = -torch.inf
    x[3, -1] = torch.inf
    out = torch.zeros(5)
    run(largest_of_rows, (5,), x, out, columns, N=128)
    torch.testing.assert_close(out, x.amax(1), rtol=0, atol=0, equal_nan=True)


@blockdsl.jit
def later_maximum(a, i, b, j):
    is_nan, other_is_nan = a != a, b != b
    wins = (a > b) | (is_nan & ~other_is_nan) | (((a == b) | (is_nan & other_is_nan)) & (i > j))
    return tl.where(wins, a, b), tl.where(wins, i, j)


@blockdsl.jit
def running_maxima(x_ptr, out_ptr, at_ptr, rows, columns, M: tl.constexpr, N: tl.constexpr, REVERSE: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    column = tl.arange(0, N)[None, :]
    at, mask = row * columns + column, (row < rows) & (column < columns)
    x = tl.load(x_ptr + at, mask, other=0).to(tl.float32)
    index = tl.broadcast_to(column.to(tl.int64), [M, N])
    largest, place = tl.associative_scan((x, index), 1, later_maximum, reverse=REVERSE)
    tl.store(out_ptr + at, largest, mask)
    tl.store(at_ptr + at, place, mask)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (21, 60), (35, 1000), (3, 64)])
def test_scans_of_pairs_along_rows(run: Run, rows: int, columns: int, dtype: torch.dtype) -> None:
    x = torch.randint(-9, 9, (rows, columns)).to(dtype)
    x[0, columns // 2] = torch.nan
    x[1:3, : columns // 2] = -0.0
    for size in (8, 16):
        out, place = torch.zeros(rows, columns), torch.zeros(rows, columns, dtype=torch.int64)
        grid, extent = (-(-rows // size),), 1 << (columns - 1).bit_length()
        run(running_maxima, grid, x, out, place, rows, columns, M=size, N=extent, REVERSE=False)
        expected = x.float().cummax(1)
        torch.testing.assert_close(out, expected.values, rtol=0, atol=0, equal_nan=True)
        assert torch.equal(place, expected.indices)
    run(running_maxima, grid, x, out, place, rows, columns, M=16, N=extent, REVERSE=True)
    padded = torch.nn.functional.pad(x.float(), (0, extent - columns))
    backwards = padded.flip(1).cummax(1).values.flip(1)[:, :columns]
    torch.testing.assert_close(out, backwards, rtol=0, atol=0, equal_nan=True)


@blockdsl.jit
def product(a, b):
    return a * b


@blockdsl.jit
def any_so_far(a, b):
    return a | b | False


@blockdsl.jit
def scans_along_rows(x_ptr, products_ptr, positive_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(products_ptr + at, tl.associative_scan(x, 1, product))
    tl.store(positive_ptr + at, tl.associative_scan(x > 1.2, 1, any_so_far))


@pytest.mark.parametrize(("rows", "columns"), [(8, 16), (16, 16), (32, 128)])
def test_products_and_conditions_along_rows(run: Run, rows: int, columns: int) -> None:
    x = numbers(torch.float32, rows, columns, low=0.8, high=1.25)
    products, positive = torch.zeros_like(x), torch.zeros(rows, columns, dtype=torch.bool)
    run(scans_along_rows, (1,), x, products, positive, M=rows, N=columns)
    check(products, x.cumprod(1), scale=10)
    assert torch.equal(positive, (x > 1.2).cumsum(1) > 0)


@blockdsl.jit
def product_of_scanned_rows(x_ptr, y_ptr, out_ptr, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    row, common, column = tl.arange(0, M), tl.arange(0, K), tl.arange(0, N)
    x = tl.load(x_ptr + row[:, None] * K + common[None, :])
    y = tl.load(y_ptr + common[:, None] * N + column[None, :])
    scanned = tl.associative_scan(x, 1, product)
    tl.store(out_ptr + row[:, None] * N + column[None, :], tl.dot(scanned, y))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_product_of_scanned_rows(run: Run, dtype: torch.dtype) -> None:
    x = torch.ones(16, 256, dtype=dtype)
    x[:, ::7] = -1
    x[5:, 100] = 0.5
    y, out = numbers(dtype, 256, 16, low=-1, high=1), torch.zeros(16, 16)
    run(product_of_scanned_rows, (1,), x, y, out, M=16, K=256, N=16)
    check(out, x.double().cumprod(1) @ y.double(), scale=100)


@blockdsl.jit
def larger_after_a_loop(a, b):
    for _ in range(2):
        if b > a:
            a = b
    return a


@blockdsl.jit
def combined_with_a_loop(x_ptr, out_ptr, rows_ptr, running_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr, tl.reduce(tl.load(x_ptr + at), 0, larger_after_a_loop))
    square = tl.arange(0, N)[:, None] * N + at[None, :]
    tl.store(rows_ptr + at, tl.reduce(tl.load(x_ptr + square), 0, larger_after_a_loop))
    tl.store(running_ptr + square, tl.associative_scan(tl.load(x_ptr + square), 1, larger_after_a_loop))


def test_combination_that_branches_and_loops(run: Run) -> None:
    x = numbers(torch.int32, 16, 16, low=-100, high=100)
    out, rows, running = torch.zeros(1, dtype=torch.int32), torch.zeros(16, dtype=torch.int32), torch.zeros_like(x)
    run(combined_with_a_loop, (1,), x, out, rows, running, N=16)
    assert out.item() == x[0].max() and torch.equal(rows, x.amax(0))
    assert torch.equal(running, x.cummax(1).values)
