"""Block pointers, against slices of padded arrays."""

from __future__ import annotations

import pytest
import torch
from reference_checks import INTEGERS, Run, numbers

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def copied(
    out_ptr, x_ptr, rows, columns, row, column, R: tl.constexpr, C: tl.constexpr, PAD: tl.constexpr, CHECK: tl.constexpr
):
    p = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (row, column), (R, C), (1, 0))
    x = tl.load(p, boundary_check=CHECK, padding_option=PAD)
    tl.static_assert(x.shape == (R, C))
    tl.static_assert(x.dtype == x_ptr.dtype.element_ty)
    q = tl.make_block_ptr(base=out_ptr, shape=(R, C), strides=(C, 1), offsets=(0, 0), block_shape=(R, C), order=(0, 1))
    tl.store(q, x)


def block_of(x: torch.Tensor, row: int, column: int, height: int, width: int, padding: float) -> torch.Tensor:
    """Returns a block of an array, with a number for elements out of bounds."""
    out = torch.full((height, width), padding, dtype=x.dtype) if padding else torch.zeros(height, width, dtype=x.dtype)
    for i in range(height):
        for j in range(width):
            if 0 <= row + i < x.shape[0] and 0 <= column + j < x.shape[1]:
                out[i, j] = x[row + i, column + j]
    return out


@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, 5), (-2, -3), (9, 20), (100, 0)])
@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_out_of_bounds_blocks(run: Run, row: int, column: int, padding: str) -> None:
    x = numbers(torch.float32, 11, 23)
    out = torch.full((8, 16), -7.0)
    run(copied, (1,), out, x, 11, 23, row, column, R=8, C=16, PAD=padding, CHECK=(0, 1))
    expected = block_of(x, row, column, 8, 16, float("nan") if padding == "nan" else 0.0)
    assert torch.equal(out.nan_to_num(-99), expected.nan_to_num(-99))


@pytest.mark.parametrize("dtype", [*INTEGERS, torch.bool, torch.float16, torch.bfloat16, torch.float64])
def test_types(run: Run, dtype: torch.dtype) -> None:
    x = numbers(dtype, 6, 9)
    out = torch.ones(4, 8, dtype=dtype)
    run(copied, (1,), out, x, 6, 9, 4, 2, R=4, C=8, PAD="zero", CHECK=(-2, -1))
    assert torch.equal(out, block_of(x, 4, 2, 4, 8, 0.0))


@pytest.mark.parametrize("padding", ["", "zero"])
@pytest.mark.parametrize("check", [(0,), 0, (1,), ()])
def test_one_dimension_is_checked(run: Run, check: object, padding: str) -> None:
    x = numbers(torch.float32, 16, 16)
    rows = 8 if check in ((0,), 0) else 16
    inside = x[:rows].contiguous()
    out = torch.full((16, 16), -7.0)
    run(copied, (1,), out, inside, rows, 16, 0, 0, R=16, C=16, PAD=padding, CHECK=check)
    expected = torch.cat([inside, torch.zeros(16 - inside.shape[0], 16)])
    assert torch.equal(out, expected)


@blockdsl.jit
def product(out_ptr, a_ptr, b_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, METHOD: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (pid_m * BM, 0), (BM, BK), (1, 0))
    # The other operand is transposed.
    b = tl.make_block_ptr(b_ptr, (K, N), (1, K), (0, pid_n * BN), (BK, BN), (0, 1))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        if METHOD:
            acc += tl.dot(a.load(boundary_check=(0, 1)), b.load(boundary_check=(0, 1)), input_precision="ieee")
            a, b = a.advance((0, BK)), b.advance([BK, 0])
        else:
            x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
            y = tl.load(b, boundary_check=(0, 1), padding_option="zero")
            acc += tl.dot(x, y, input_precision="ieee")
            a = tl.advance(a, (0, BK))
            b = tl.advance(b, (BK, 0))
    out = tl.make_block_ptr(out_ptr, (M, N), (N, 1), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    if METHOD:
        out.store(acc, boundary_check=(0, 1))
    else:
        tl.store(out, acc.to(out.dtype.element_ty), boundary_check=(0, 1))


@pytest.mark.parametrize("method", [False, True])
def test_matmul_with_out_of_bounds_blocks(run: Run, method: bool) -> None:
    a, b = numbers(torch.float32, 37, 29), numbers(torch.float32, 21, 29)
    out = torch.zeros(37, 21)
    run(product, (3, 2), out, a, b, 37, 21, 29, BM=16, BN=16, BK=16, METHOD=method)
    torch.testing.assert_close(out, a @ b.T, rtol=1e-5, atol=1e-5)


@blockdsl.jit
def moved(p, n, far):
    if far:
        p = tl.advance(p, (n, 0))
    else:
        p = tl.advance(p, (0, 0))
    return p, n + 1


@blockdsl.jit
def carried(out_ptr, x_ptr, n, steps):
    p = tl.make_block_ptr(x_ptr, (n, 4), (4, 1), (0, 0), (2, 4), (1, 0))
    p, _ = moved(p, 1, steps > 1)
    q = tl.make_block_ptr(out_ptr, (2, 4), (4, 1), (0, 0), (2, 4), (1, 0))
    tl.store(q, tl.load(p, boundary_check=(0, 1)))


@pytest.mark.parametrize("steps", [1, 3])
def test_a_pointer_moves_in_loops_branches_and_functions(run: Run, steps: int) -> None:
    x = torch.arange(12, dtype=torch.int32).reshape(3, 4)
    out = torch.zeros(2, 4, dtype=torch.int32)
    run(carried, (1,), out, x, 3, steps)
    assert torch.equal(out, x[:2] if steps == 1 else x[1:3])


@blockdsl.jit
def summed(out_ptr, x_ptr, n, steps):
    p = tl.make_block_ptr(x_ptr, (n, 4, 2), (8, 2, 1), (0, 0, 0), (2, 4, 2), (2, 1, 0))
    total = tl.zeros((2, 4, 2), tl.int32)
    i = 0
    while i < steps:
        total += tl.load(p, boundary_check=(0,))
        p = p.advance((1, 0, 0))
        i += 1
    tl.store(tl.make_block_ptr(out_ptr, (2, 4, 2), (8, 2, 1), (0, 0, 0), (2, 4, 2), (2, 1, 0)), total)


def test_three_dimensions_in_a_while(run: Run) -> None:
    x = torch.arange(24, dtype=torch.int32).reshape(3, 4, 2)
    out = torch.zeros(2, 4, 2, dtype=torch.int32)
    run(summed, (1,), out, x, 3, 3)
    padded = torch.cat([x, torch.zeros(1, 4, 2, dtype=torch.int32)])
    assert torch.equal(out, sum(padded[i : i + 2] for i in range(3)))


@blockdsl.jit
def line(out_ptr, x_ptr, n, N: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (n,), (2,), (tl.program_id(0) * N,), (N,), (0,))
    q = tl.make_block_ptr(out_ptr, (n,), (1,), (tl.program_id(0) * N,), (N,), (0,))
    tl.store(q, tl.load(p, boundary_check=(0,)) + 1, boundary_check=(0,))


def test_one_dimension(run: Run) -> None:
    x = torch.arange(26.0)
    out = torch.zeros(16)
    run(line, (2,), out, x, 13, N=8)
    assert torch.equal(out[:13], x[::2] + 1)
    assert torch.equal(out[13:], torch.zeros(3))
