"""Tests of matmuls that a loop adds up, with their initial zeros, and the stores of the sums after the loop.

On a CPU the first iteration of the loop starts with zeros in registers, and the last one stores tile by tile.
"""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

M, N, K = 16, 128, 32


@blockdsl.jit(do_not_specialize=["first", "bound", "step"])
def summed(
    a_ptr, b_ptr, c_ptr, first, bound, step, START: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.full((M, N), START, tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32)
    for iteration in range(first, bound, step):
        a = tl.load(a_ptr + iteration * M * K + m[:, None] * K + k[None, :])
        b = tl.load(b_ptr + iteration * K * N + k[:, None] * N + n[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@pytest.mark.parametrize("start", [0, 3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int8])
def test_any_number_of_iterations(run: Run, dtype: torch.dtype, start: int) -> None:
    a, b = numbers(dtype, 5, M, K), numbers(dtype, 5, K, N)
    for iterations in (range(0), range(1), range(5), range(3, 4), range(1, 5, 2), range(0, 5, 3), range(4, 1)):
        c = torch.full((M, N), -7, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
        run(summed, (1,), a, b, c, iterations.start, iterations.stop, iterations.step, START=start, M=M, N=N, K=K)
        expected = sum(
            (a[iteration].double() @ b[iteration].double() for iteration in iterations),
            torch.full((M, N), start).double(),
        )
        check(c, expected, scale=60)


def test_nan_and_infinity(run: Run) -> None:
    """Earlier contents of a buffer must not affect the sums, and no NaN may be lost."""
    a, b = numbers(torch.float32, 2, M, K), numbers(torch.float32, 2, K, N)
    a[0, 3, 1], a[1, 7, 2], b[1, 5, 100] = float("nan"), float("inf"), -float("inf")
    for iterations in (2, 1, 0, 2):
        c = torch.full((M, N), float("nan"))
        run(summed, (1,), a, b, c, 0, iterations, 1, START=0, M=M, N=N, K=K)
        expected = sum(
            (a[iteration].double() @ b[iteration].double() for iteration in range(iterations)),
            torch.zeros(M, N).double(),
        )
        check(c, expected, scale=60)


@blockdsl.jit(do_not_specialize=["first_row", "end_row", "first_column", "end_column", "turns"])
def finished(
    a_ptr, b_ptr, c_ptr, bias_ptr, first_row, end_row, first_column, end_column, iterations, c_row, c_column,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for iteration in range(iterations):
        a = tl.load(a_ptr + iteration * M * K + m[:, None] * K + k[None, :])
        b = tl.load(b_ptr + iteration * K * N + k[:, None] * N + n[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    inside = (
        (m >= first_row)[:, None] & (m < end_row)[:, None] & (n >= first_column)[None, :] & (n < end_column)[None, :]
    )
    c_ptrs = c_ptr + m[:, None] * c_row + n[None, :] * c_column
    bias = tl.load(bias_ptr + n, mask=n < end_column, other=0.0)
    before = tl.load(c_ptrs, mask=inside, other=0.0)
    tl.store(c_ptrs, tl.maximum(acc + bias[None, :], 0.0) + 2 * before, mask=inside)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rows", [(0, M), (5, 15), (15, 16), (7, 7)])
@pytest.mark.parametrize("columns", [(0, N), (0, 77), (3, 120), (64, 128), (70, 75), (9, 9), (0, 0)])
def test_epilogue_of_accumulated_sums(run: Run, rows: tuple[int, int], columns: tuple[int, int], turned: bool) -> None:
    a, b, bias = numbers(torch.float32, 3, M, K), numbers(torch.float32, 3, K, N), numbers(torch.float32, N)
    for iterations in (0, 1, 3):
        c = numbers(torch.float32, N, M).t() if turned else numbers(torch.float32, M, N)
        expected = c.double().clone()
        sums = torch.relu((a[:iterations].double() @ b[:iterations].double()).sum(0) + bias.double())
        part = slice(*rows), slice(*columns)
        expected[part] = sums[part] + 2 * expected[part]
        run(finished, (1,), a, b, c, bias, *rows, *columns, iterations, *c.stride(), M=M, N=N, K=K)
        check(c, expected, scale=60)


@pytest.mark.cpu_only
def test_sums_that_overwrite_a_factor(run: Run) -> None:
    """The whole operand is read before any of it is overwritten."""
    for iterations in (1, 2):
        a, b = numbers(torch.float32, iterations, 32, 32), numbers(torch.float32, iterations, 32, 32)
        expected = (a.double() @ b.double()).sum(0)
        for target in (a, b):
            factors = a.clone(), b.clone()
            into = factors[0] if target is a else factors[1]
            run(summed, (1,), *factors, into, 0, iterations, 1, START=0, M=32, N=32, K=32)
            check(into[0], expected, scale=60)


@blockdsl.jit
def tile_after_tile(a_ptr, b_ptr, c_ptr, d_ptr, rows, iterations, BM: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    n, k = tl.arange(0, N), tl.arange(0, K)
    for tile in range(tl.program_id(0), tl.cdiv(rows, BM), tl.num_programs(0)):
        m = tile * BM + tl.arange(0, BM)
        inside = (m < rows)[:, None]
        acc = tl.zeros((BM, N), tl.float32)
        negative = tl.zeros((BM, N), tl.float32)
        for iteration in range(iterations):
            a = tl.load(a_ptr + m[:, None] * (iterations * K) + iteration * K + k[None, :], mask=inside, other=0.0)
            b = tl.load(b_ptr + (iteration * K + k)[:, None] * N + n[None, :])
            acc = tl.dot(a, b, acc, input_precision="ieee")
            negative = tl.dot(-a, b, negative, input_precision="ieee")
        tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=inside)
        tl.store(d_ptr + m[:, None] * N + n[None, :], negative - acc, mask=inside)


def test_each_tile_is_initialized(run: Run) -> None:
    """Two sums in one loop, in a loop over tiles: one is stored alone, the other together with the first."""
    for rows, iterations in ((100, 3), (16, 1), (33, 0)):
        a, b = numbers(torch.float32, rows, iterations * 32), numbers(torch.float32, iterations * 32, 64)
        c, d = torch.full((rows, 64), -7.0), torch.full((rows, 64), -7.0)
        run(tile_after_tile, (2,), a, b, c, d, rows, iterations, BM=16, N=64, K=32)
        expected = a.double() @ b.double()
        check(c, expected, scale=60)
        check(d, -2 * expected, scale=120)


@blockdsl.jit
def replaced(a_ptr, b_ptr, c_ptr, iterations, INSIDE: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A carried block is replaced by a matmul, from before the loop or of the iteration, and nothing is added up."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    product = tl.dot(a, b, input_precision="ieee")
    carried = tl.full((M, N), 1.0, tl.float32)
    for iteration in range(iterations):
        if INSIDE:
            product = tl.dot(
                tl.load(a_ptr + iteration * M * K + m[:, None] * K + k[None, :]), b, input_precision="ieee"
            )
        carried = product
    tl.store(c_ptr + m[:, None] * N + n[None, :], carried)


@pytest.mark.parametrize("inside", [False, True])
def test_dot_that_replaces_carried_value(run: Run, inside: bool) -> None:
    a, b = numbers(torch.float32, 3, M, K), numbers(torch.float32, K, N)
    for iterations in (0, 1, 3):
        c = torch.full((M, N), -7.0)
        run(replaced, (1,), a, b, c, iterations, INSIDE=inside, M=M, N=N, K=K)
        expected = a[iterations - 1 if inside else 0].double() @ b.double() if iterations else torch.ones(M, N).double()
        check(c, expected, scale=60)


@blockdsl.jit(do_not_specialize=["rows", "columns"])
def stored_in_part(
    a_ptr, b_ptr, x_ptr, y_ptr, c_ptr, rows, columns,
    LOOPS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    a = tl.load(a_ptr + m * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n)
    acc = tl.zeros((M, N), tl.float32)
    if LOOPS == 0:
        acc = tl.dot(a, b, input_precision="ieee")
    elif LOOPS == 1:
        for _ in range(2):
            acc = tl.dot(a, b, acc, input_precision="ieee")
    else:
        for iteration in range(2):
            for _ in range(2):
                acc = tl.dot(a, b, acc, input_precision="ieee")
            tl.store(y_ptr + (1 + iteration) * M * N + m * N + n, tl.load(x_ptr + m * N + n) + iteration)
    tl.store(y_ptr + m * N + n, tl.load(x_ptr + m * N + n))
    tl.store(c_ptr + m * N + n, acc, mask=(m < rows) & (n < columns))


@pytest.mark.parametrize("loops", [0, 1, 2])
@pytest.mark.parametrize(("rows", "columns"), [(24, 64), (64, 9), (5, 16), (0, 64), (64, 64)])
def test_stores_beside_partially_used_sums_are_complete(run: Run, rows: int, columns: int, loops: int) -> None:
    """Although only a part of the sums is used."""
    m, n, k = 64, 64, 16
    a, b, x = numbers(torch.float32, m, k), numbers(torch.float32, k, n), numbers(torch.float32, m, n)
    y, c = torch.full((3, m, n), -7.0), torch.full((m, n), -7.0)
    run(stored_in_part, (1,), a, b, x, y, c, rows, columns, LOOPS=loops, M=m, N=n, K=k)
    assert torch.equal(y[0], x)
    assert torch.equal(y[1:], torch.stack([x, x + 1]) if loops == 2 else torch.full((2, m, n), -7.0))
    expected = torch.full((m, n), -7.0).double()
    expected[:rows, :columns] = ((1, 2, 4)[loops] * (a.double() @ b.double()))[:rows, :columns]
    check(c, expected, scale=60)
