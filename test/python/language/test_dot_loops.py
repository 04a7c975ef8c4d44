"""Loops that add up matmuls, several of whose iterations are multiplied together, against torch in float64."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

RESULT = {torch.int8: torch.int32}


@blockdsl.jit
def added_up(
    a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    WRAP: tl.constexpr, ROWS_FIRST: tl.constexpr,
):  # fmt: skip
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    pid = tl.program_id(0)
    i, j = (pid % rows, pid // rows) if ROWS_FIRST else (pid // columns, pid % columns)
    m, n, k = i * BM + tl.arange(0, BM), j * BN + tl.arange(0, BN), tl.arange(0, BK)
    a_ptrs = a_ptr + (m % M if WRAP else m)[:, None] * am + k[None, :] * ak
    b_ptrs = b_ptr + k[:, None] * bk + (n % N if WRAP else n)[None, :] * bn
    acc = tl.zeros((BM, BN), c_ptr.dtype.element_ty)
    for start in range(tl.cdiv(K, BK)):
        a_mask, b_mask = k[None, :] < K - start * BK, k[:, None] < K - start * BK
        if not WRAP:
            a_mask, b_mask = a_mask & (m[:, None] < M), b_mask & (n[None, :] < N)
        a = tl.load(a_ptrs, mask=a_mask, other=0)
        b = tl.load(b_ptrs, mask=b_mask, other=0)
        acc = tl.dot(a, b, acc, input_precision="ieee", out_dtype=acc.dtype)
        a_ptrs += BK * ak
        b_ptrs += BK * bk
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def add_up(run: Run, a: torch.Tensor, b: torch.Tensor, blocks: tuple[int, int, int], **how: bool) -> None:
    (m, k), n = a.shape, b.shape[1]
    c = torch.full((m, n), 7, dtype=RESULT.get(a.dtype, torch.float32))
    grid = (-(-m // blocks[0]) * -(-n // blocks[1]),)
    meta = {"BM": blocks[0], "BN": blocks[1], "BK": blocks[2], "WRAP": False, "ROWS_FIRST": True} | how
    run(added_up, grid, a, b, c, m, n, k, *a.stride(), *b.stride(), **meta)
    check(c, a.double() @ b.double(), scale=30 + k)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int8])
@pytest.mark.parametrize("k", [0, 1, 33, 64, 67, 32 * 64, 32 * 66 + 3])
def test_number_of_iterations(run: Run, dtype: torch.dtype, k: int) -> None:
    add_up(run, numbers(dtype, 33, k), numbers(dtype, k, 70), (32, 64, 32))


@pytest.mark.parametrize("blocks", [(16, 16, 16), (32, 32, 32), (64, 64, 64), (128, 64, 32), (64, 128, 16)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("wrap", [False, True])
def test_blocks(run: Run, dtype: torch.dtype, blocks: tuple[int, int, int], wrap: bool) -> None:
    add_up(run, numbers(dtype, 130, 200), numbers(dtype, 200, 140), blocks, WRAP=wrap)


@pytest.mark.parametrize("rows_first", [False, True])
@pytest.mark.parametrize("layout", ["rows", "columns", "odd", "every second"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8])
def test_layouts(run: Run, dtype: torch.dtype, layout: str, rows_first: bool) -> None:
    def lay_out(block: torch.Tensor) -> torch.Tensor:
        rows, columns = block.shape
        if layout == "rows":
            return block
        if layout == "columns":
            return block.T.contiguous().T
        wide = torch.zeros(rows, 2 * columns + 3, dtype=dtype)
        view = wide[:, :columns] if layout == "odd" else wide[:, ::2][:, :columns]
        return view.copy_(block)

    a, b = lay_out(numbers(dtype, 96, 160)), lay_out(numbers(dtype, 160, 128))
    add_up(run, a, b, (32, 32, 32), ROWS_FIRST=rows_first)


def test_rows_in_descending_order(run: Run) -> None:
    for dtype in (torch.float32, torch.bfloat16):
        a, b = numbers(dtype, 32, 96), numbers(dtype, 96, 32)
        c = torch.zeros(32, 32)
        run(added_up, (1,), a[31:], b, c, 32, 32, 96, -96, 1, 32, 1, BM=32, BN=32, BK=32, WRAP=False, ROWS_FIRST=True)
        check(c, a.flip(0).double() @ b.double(), scale=100)


@blockdsl.jit
def gathered_rows(a_ptr, b_ptr, c_ptr, rows_ptr, K, BLOCK: tl.constexpr):
    n, k = tl.arange(0, BLOCK), tl.arange(0, 32)
    rows = tl.load(rows_ptr + n)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, K, 32):
        a = tl.load(a_ptr + rows[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * BLOCK + n[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + n[:, None] * BLOCK + n[None, :], acc)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("order", ["permuted", "one apart but for the last", "all the same", "in order"])
def test_rows_at_any_distance(run: Run, dtype: torch.dtype, order: str) -> None:
    a, b, c = numbers(dtype, 64, 96), numbers(dtype, 96, 32), torch.zeros(32, 32)
    rows = torch.arange(32, dtype=torch.int32)
    if order == "permuted":
        rows = torch.randperm(64, generator=torch.Generator().manual_seed(0))[:32].to(torch.int32)
    elif order == "one apart but for the last":
        rows[17] = 50
    elif order == "all the same":
        rows[:] = 5
    run(gathered_rows, (1,), a, b, c, rows, 96, BLOCK=32)
    check(c, a[rows.long()].double() @ b.double(), scale=100)


@blockdsl.jit
def blocks_by_a_table(a_ptr, b_ptr, c_ptr, table_ptr, count, K, N: tl.constexpr):
    m, k = tl.arange(0, N), tl.arange(0, 32)
    acc = tl.zeros((N, N), tl.float32)
    for index in range(count):
        block = tl.load(table_ptr + tl.program_id(0) * count + index)
        a = tl.load(a_ptr + m[:, None] * K + (block * 32 + k)[None, :])
        b = tl.load(b_ptr + (block * 32 + k)[:, None] * N + m[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + tl.program_id(0) * N * N + m[:, None] * N + m[None, :], acc)


def test_scalars_that_the_loop_loads(run: Run) -> None:
    # Two successive programs have the same blocks, so operands that stay packed must be distinguished from others.
    table = torch.tensor([[3, 1, 4], [3, 1, 4], [0, 2, 4], [3, 1, 5]], dtype=torch.int32)
    a, b, c = numbers(torch.float32, 32, 192), numbers(torch.float32, 192, 32), torch.zeros(4, 32, 32)
    run(blocks_by_a_table, (4,), a, b, c, table, 3, 192, N=32)
    for program, blocks in enumerate(table.tolist()):
        at = torch.cat([torch.arange(32 * block, 32 * block + 32) for block in blocks])
        check(c[program], a[:, at].double() @ b[at].double(), scale=130)


@blockdsl.jit
def quantized(a_ptr, b_ptr, scale_ptr, c_ptr, K, N: tl.constexpr, GROUP: tl.constexpr):
    m, k = tl.arange(0, N), tl.arange(0, 32)
    acc = tl.zeros((N, N), tl.float32)
    for start in range(0, K, 32):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        codes = tl.load(b_ptr + (start + k)[:, None] * N + m[None, :])
        scales = tl.load(scale_ptr + ((start + k) // GROUP)[:, None] * N + m[None, :])
        acc = tl.dot(a, codes.to(a.dtype) * scales, acc, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * N + m[None, :], acc)


@pytest.mark.parametrize("group", [8, 64])
def test_right_side_that_is_computed(run: Run, group: int) -> None:
    a, codes = numbers(torch.float32, 32, 256), numbers(torch.int8, 256, 32)
    scales, c = numbers(torch.float32, 256 // group, 32), torch.zeros(32, 32)
    run(quantized, (1,), a, codes, scales, c, 256, N=32, GROUP=group)
    check(c, a.double() @ (codes.double() * scales.double().repeat_interleave(group, 0)), scale=4000)


@blockdsl.jit
def near_the_largest_number(a_ptr, b_ptr, c_ptr, low, high, step, N: tl.constexpr):
    m = tl.arange(0, N)
    acc = tl.zeros((N, N), tl.float32)
    for at in range(low, high, step):
        k = (at - low) // step * N + m
        a = tl.load(a_ptr + m[:, None] * 128 + k[None, :])
        b = tl.load(b_ptr + k[:, None] * N + m[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * N + m[None, :], acc)


@pytest.mark.parametrize(("low", "high", "step"), [(2**31 - 80, 2**31 - 1, 30), (-(2**31), -(2**31) + 5, 2), (5, 5, 1)])
def test_bounds_at_the_ends_of_their_type(run: Run, low: int, high: int, step: int) -> None:
    a, b, c = numbers(torch.float32, 32, 128), numbers(torch.float32, 128, 32), torch.ones(32, 32)
    run(near_the_largest_number, (1,), a, b, c, low, high, step, N=32)
    depth = 32 * len(range(low, high, step))
    check(c, a[:, :depth].double() @ b[:depth].double(), scale=130)


@blockdsl.jit
def into_its_right_side(a_ptr, b_ptr, K, N: tl.constexpr):
    m, k = tl.arange(0, N), tl.arange(0, 32)
    acc = tl.zeros((N, N), tl.float32)
    for start in range(0, K, 32):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + m[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(b_ptr + m[:, None] * N + m[None, :], acc)


def test_result_in_the_right_side(run: Run) -> None:
    a, b = numbers(torch.float32, 32, 96), numbers(torch.float32, 96, 32)
    expected = a.double() @ b.double()
    run(into_its_right_side, (1,), a, b, 96, N=32)
    check(b[:32], expected, scale=100)


def test_right_side_that_changes_between_launches(run: Run) -> None:
    a, b = numbers(torch.float32, 32, 96), numbers(torch.float32, 96, 32)
    for _ in range(3):
        add_up(run, a, b, (32, 32, 32))
        b.add_(1)


def test_infinities_and_nans(run: Run) -> None:
    a, b = numbers(torch.float32, 32, 40), numbers(torch.float32, 41, 32)
    a[3, 5], a[4, 7], b[9, 11] = float("inf"), float("nan"), float("-inf")
    b[40] = float("nan")  # is masked off
    c = torch.zeros(32, 32)
    meta = {"BM": 32, "BN": 32, "BK": 32, "WRAP": True, "ROWS_FIRST": True}
    run(added_up, (1,), a, b, c, 32, 32, 40, 40, 1, 32, 1, **meta)
    torch.testing.assert_close(c.double(), a.double() @ b[:40].double(), rtol=1e-4, atol=1e-3, equal_nan=True)


@blockdsl.jit
def added_outside(a_ptr, b_ptr, c_ptr, K, N: tl.constexpr):
    m, k = tl.arange(0, N), tl.arange(0, 32)
    acc = tl.zeros((N, N), tl.float32)
    for start in range(0, K, 32):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + m[None, :])
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * N + m[None, :], acc)


def test_dot_added_outside_of_the_loop(run: Run) -> None:
    a, b, c = numbers(torch.float32, 32, 96), numbers(torch.float32, 96, 32), torch.zeros(32, 32)
    run(added_outside, (1,), a, b, c, 96, N=32)
    check(c, a.double() @ b.double(), scale=100)


@pytest.mark.parametrize("kernel", [gathered_rows, added_outside])
def test_iterations_are_merged(kernel: blockdsl.JITFunction) -> None:
    rows = (torch.arange(32, dtype=torch.int32),) if kernel is gathered_rows else ()
    sizes = {"BLOCK": 32} if rows else {"N": 32}
    a, b, c = torch.ones(32, 96), torch.ones(96, 32), torch.zeros(32, 32)
    compiled = kernel[(1,)](a, b, c, *rows, 96, **sizes)
    assert "iterations = " in compiled.asm["nests"]


@blockdsl.jit
def counted(a_ptr, b_ptr, c_ptr, M, K: tl.constexpr, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, 64)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, 64):
        a = tl.load(
            a_ptr + m[:, None] * K + (start + k)[None, :], mask=(m[:, None] < M) & (start + k < K)[None, :], other=0
        )
        b = tl.load(
            b_ptr + (start + k)[:, None] * N + n[None, :], mask=(start + k < K)[:, None] & (n < N)[None, :], other=0
        )
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("k", [64, 127, 200])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_number_of_iterations_that_is_a_constant(run: Run, dtype: torch.dtype, k: int) -> None:
    a, b, c = numbers(dtype, 33, k), numbers(dtype, k, 515), torch.full((33, 515), 7.0)
    run(counted, (5,), a, b, c, 33, K=k, N=515, BM=64, BN=128)
    check(c, a.double() @ b.double(), scale=30 + k)
