"""Tensor descriptors: blocks at every edge of an array, in one to three dimensions, through loops, ifs and calls."""

from __future__ import annotations

import pytest
import torch
from reference_checks import FLOATS, INTEGERS, Run, check, numbers

import blockdsl
import blockdsl.language as tl


def padded(x: torch.Tensor, starts: list[int], sizes: list[int], fill: float = 0) -> torch.Tensor:
    """Returns the block of ``x`` at ``starts``, as a descriptor's load does."""
    result = torch.full(sizes, fill, dtype=x.dtype)
    inside = [slice(max(start, 0), max(min(start + size, extent), 0)) for start, size, extent in
              zip(starts, sizes, x.shape, strict=True)]  # fmt: skip
    there = [slice(part.start - start, part.stop - start) for part, start in zip(inside, starts, strict=True)]
    if all(part.start < part.stop for part in inside):
        result[tuple(there)] = x[tuple(inside)]
    return result


# A GPU's copies begin at multiples of 16 bytes along the last dimension; others are illegal instructions.
def unaligned(start: object) -> object:
    return pytest.param(start, marks=pytest.mark.cpu_only)


@blockdsl.jit
def line(x_ptr, out_ptr, n, start, N: tl.constexpr, PADDING: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [n], [1], [N], PADDING)
    tl.store(out_ptr + tl.arange(0, N), desc.load([start]))


@pytest.mark.parametrize("start", [-80, -64, unaligned(-3), -4, 0, 16, 60, 100, unaligned(2**31 - 70)])
def test_one_dimension(run: Run, start: int) -> None:
    x, out = numbers(torch.float32, 100), torch.empty(64)
    run(line, (1,), x, out, 100, start, N=64, PADDING="zero")
    assert torch.equal(out, padded(x, [start], [64]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_padding_with_nan(run: Run, dtype: torch.dtype) -> None:
    x, out = numbers(dtype, 50), torch.empty(64, dtype=dtype)
    run(line, (1,), x, out, 50, 16, N=64, PADDING="nan")
    torch.testing.assert_close(out, padded(x, [16], [64], float("nan")), rtol=0, atol=0, equal_nan=True)


@blockdsl.jit
def matrix(x_ptr, out_ptr, m, n, stride, row, column, M: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [m, n], [stride, 1], [M, N])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], block_shape=[M, N])
    out.store([0, 0], desc.load([row, column]))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("start", [(0, 0), (8, 16), unaligned((-2, -5)), unaligned((30, 70)), (40, 0)])
def test_two_dimensions(run: Run, dtype: torch.dtype, start: tuple[int, int]) -> None:
    # Rows with gaps between them, which are never read.
    x, out = numbers(dtype, 35, 96)[:, :75], torch.empty(16, 32, dtype=dtype)
    run(matrix, (1,), x, out, 35, 75, 96, *start, M=16, N=32)
    assert torch.equal(out, padded(x, list(start), [16, 32]))


@blockdsl.jit
def cube(x_ptr, out_ptr, a, b, c, at, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, (a, b, c), (b * c, c, 1), (A, B, C))
    out = tl.make_tensor_descriptor(out_ptr, (a, b, c), (b * c, c, 1), (A, B, C))
    tl.store_tensor_descriptor(out, [at, at, at], tl.load_tensor_descriptor(x, [at, at, at]) + 1)


@pytest.mark.parametrize("at", [unaligned(-1), 0, unaligned(3)])
def test_three_dimensions(run: Run, at: int) -> None:
    x = numbers(torch.float32, 5, 6, 8)
    out = torch.zeros_like(x)
    run(cube, (1,), x, out, 5, 6, 8, at, A=4, B=4, C=8)
    window = tuple(slice(max(at, 0), at + size) for size in (4, 4, 8))
    expected = torch.zeros_like(x)
    expected[window] = x[window] + 1
    assert torch.equal(out, expected)


@blockdsl.jit
def in_place(x_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    at = [tl.program_id(0) * M, tl.program_id(1) * N]
    desc.store(at, tl.abs(desc.load(at)) + desc.shape[0])


def test_stores_end_at_the_edge(run: Run) -> None:
    memory = numbers(torch.float32, 64 * 64)
    x, before = memory[: 33 * 44].view(33, 44), memory.clone()
    run(in_place, (3, 2), x, 33, 44, M=16, N=32)
    check(memory[: 33 * 44], before[: 33 * 44].abs() + 33)
    assert torch.equal(memory[33 * 44 :], before[33 * 44 :])


@blockdsl.jit
def matmul(a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [m, k], [k, 1], [M, K])
    b = tl.make_tensor_descriptor(b_ptr, [k, n], [n, 1], [K, N])
    c = tl.make_tensor_descriptor(c_ptr, [m, n], [n, 1], [M, N])
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    acc = tl.zeros((M, N), tl.float32)
    for at in range(0, k, K):
        acc = tl.dot(a.load([row, at]), b.load([at, column]), acc, input_precision="ieee")
    c.store([row, column], acc.to(c.dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("m", "n", "k"), [(64, 64, 64), (50, 72, 40), (128, 64, 200)])
def test_matmul(run: Run, dtype: torch.dtype, m: int, n: int, k: int) -> None:
    a, b = numbers(dtype, m, k, low=-1, high=1), numbers(dtype, k, n, low=-1, high=1)
    c = torch.zeros(m, n, dtype=dtype)
    run(matmul, (blockdsl.cdiv(m, 32), blockdsl.cdiv(n, 32)), a, b, c, m, n, k, M=32, N=32, K=32)
    check(c, a.double() @ b.double(), scale=8)


@blockdsl.jit
def scaled(desc, row, factor):
    return desc.load([row, 0]) * factor, desc


@blockdsl.jit
def carried(x_ptr, y_ptr, out_ptr, m, n, swap, M: tl.constexpr, N: tl.constexpr):
    one = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    other = tl.make_tensor_descriptor(y_ptr, [m, n], [n, 1], [M, N])
    if swap > 0:
        one, other = other, one
    total = tl.zeros((M, N), tl.float32)
    row = 0
    while row < m:
        part, one = scaled(one, row, 2.0)
        total += part - other.load([row, 0])
        one, other = other, one
        row += M
    result = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [M, N])
    result.store([0, 0], total)


@pytest.mark.parametrize("swap", [0, 1])
def test_through_loops_ifs_and_calls(run: Run, swap: int) -> None:
    x, y, out = numbers(torch.float32, 30, 40), numbers(torch.float32, 30, 40) + 1, torch.empty(8, 64)
    run(carried, (1,), x, y, out, 30, 40, swap, M=8, N=64)
    one, other = (y, x) if swap else (x, y)
    expected = torch.zeros(8, 64)
    for row in range(0, 30, 8):
        expected += 2 * padded(one, [row, 0], [8, 64]) - padded(other, [row, 0], [8, 64])
        one, other = other, one
    check(out, expected)


@blockdsl.jit
def shifted_rows(x_ptr, out_ptr, rows_ptr, m, n, column, ROWS: tl.constexpr, N: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, ROWS))
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [1, N])
    out = tl.make_tensor_descriptor(out_ptr, [m, n], [n, 1], [1, N])
    out.scatter(x.gather(rows, column) + 1, rows, column)


@pytest.mark.parametrize("column", [0, 20, unaligned(-7)])
def test_rows_by_index(run: Run, column: int) -> None:
    x, out = numbers(torch.float32, 20, 48), torch.zeros(20, 48)
    rows = torch.tensor([3, 19, 0, -1, 7, 25, 11, 5], dtype=torch.int32)
    run(shifted_rows, (1,), x, out, rows, 20, 48, column, ROWS=8, N=32)
    expected = torch.zeros(20, 48)
    there = [row for row in rows.tolist() if 0 <= row < 20]
    window = slice(max(column, 0), column + 32)
    expected[there, window] = x[there, window] + 1
    assert torch.equal(out, expected)


@blockdsl.jit
def properties(x_ptr, out_ptr, n):
    desc = tl.make_tensor_descriptor(x_ptr, [n, 32], [32, 1], [4, 16])
    tl.static_assert(desc.block_shape[0] == 4 and desc.block_shape[1] == 16)
    tl.static_assert(desc.dtype == tl.float32)
    tl.static_assert(desc.type == desc.type and isinstance(desc, tl.tensor_descriptor))
    tl.static_assert(len(desc.shape) == 2)
    tl.store(out_ptr, desc.shape[0] * 1000 + desc.strides[0])


def test_properties(run: Run) -> None:
    out = torch.zeros(1, dtype=torch.int64)
    run(properties, (1,), numbers(torch.float32, 7, 32), out, 7)
    assert out.item() == 7032
