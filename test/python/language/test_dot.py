"""Matrix products of every type, with and without an accumulator, against torch in float64."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def product(
    a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, START: tl.constexpr, PRECISION: tl.constexpr
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    if START:
        c = tl.dot(a, b, tl.full((M, N), 1, tl.dot(a, b).dtype), input_precision=PRECISION)
    else:
        c = tl.dot(a, b, input_precision=PRECISION)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


RESULT = {torch.int8: torch.int32, torch.float64: torch.float64}


@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8])
@pytest.mark.parametrize("sizes", [(16, 16, 16), (32, 64, 16), (16, 32, 64)])
def test_products(run: Run, dtype: torch.dtype, sizes: tuple[int, int, int], start: bool) -> None:
    m, n, k = sizes
    # The matrix units of GPUs need a depth of 32 bytes or more.
    k = max(k, 32) if dtype == torch.int8 else k
    a, b = numbers(dtype, m, k), numbers(dtype, k, n)
    c = torch.zeros(m, n, dtype=RESULT.get(dtype, torch.float32))
    run(product, (1,), a, b, c, M=m, N=n, K=k, START=start, PRECISION="ieee")
    check(c, a.double() @ b.double() + int(start), scale=30)


def test_default_precision_is_at_least_that_of_tf32(run: Run) -> None:
    a, b = numbers(torch.float32, 32, 64), numbers(torch.float32, 64, 32)
    c = torch.zeros(32, 32)
    run(product, (1,), a, b, c, M=32, N=32, K=64, START=False, PRECISION=None)
    # tf32 keeps 11 bits of each operand; the products are up to 16.
    torch.testing.assert_close(c.double(), a.double() @ b.double(), rtol=0, atol=64 * 16 * 2.0**-11)


@blockdsl.jit
def tiled(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs, b_ptrs = a_ptr + m[:, None] * K + k[None, :], b_ptr + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = K - start
        a = tl.load(a_ptrs, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < left) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += BK
        b_ptrs += BK * N
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_tiled_product_of_ragged_sizes(run: Run, dtype: torch.dtype) -> None:
    a, b = numbers(dtype, 50, 70), numbers(dtype, 70, 40)
    c = torch.zeros(50, 40)
    run(tiled, (4, 3), a, b, c, 50, 40, 70, BM=16, BN=16, BK=32)
    check(c, a.double() @ b.double(), scale=40)


@blockdsl.jit
def moved(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K, PITCH: tl.constexpr, HOW: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 32)
    sums = tl.zeros((M, N), tl.float32)
    for start in range(0, K, 32):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k[:, None]) * N + n[None, :])
        sums = tl.dot(a, b, sums, input_precision="ieee")
    if HOW == "transposed":
        sums = tl.trans(sums).reshape(M, N)
    elif HOW == "reshaped":
        sums = tl.trans(sums.reshape(N, M))
    elif HOW == "added":
        sums += tl.trans(sums).reshape(M, N)
    elif HOW == "flipped":
        sums = tl.flip(sums, 0)
    else:
        left, right = tl.split(sums.reshape(M, N // 2, 2))
        sums = tl.join(right, left).reshape(M, N)
    tl.store(c_ptr + m[:, None] * (N * PITCH) + n[None, :] * PITCH, sums)


MOVES = {
    "transposed": lambda c: c.T.reshape(c.shape),
    "reshaped": lambda c: c.reshape(c.shape[::-1]).T,
    "added": lambda c: c + c.T.reshape(c.shape),
    "flipped": lambda c: c.flip(0),
    "swapped": lambda c: c.reshape(c.shape[0], -1, 2).flip(2).reshape(c.shape),
}


@pytest.mark.parametrize("how", MOVES)
@pytest.mark.parametrize("sizes", [(32, 32, 32), (32, 32, 96), (64, 64, 64), (64, 16, 64), (16, 64, 64)])
@pytest.mark.parametrize("pitch", [1, 2])
def test_results_stored_at_other_locations(run: Run, how: str, sizes: tuple[int, int, int], pitch: int) -> None:
    m, n, k = sizes
    a, b = numbers(torch.float32, m, k), numbers(torch.float32, k, n)
    c = torch.zeros(m, n * pitch)
    run(moved, (1,), a, b, c, M=m, N=n, K=k, PITCH=pitch, HOW=how)
    check(c[:, ::pitch], MOVES[how](a.double() @ b.double()), scale=40)


@blockdsl.jit
def half_product(a_ptr, c_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    a = tl.load(a_ptr + at[:, None] * N + at[None, :])
    tl.store(c_ptr + at[:, None] * N + at[None, :], tl.dot(a, tl.trans(a), out_dtype=tl.float16))


def test_half_precision_result(run: Run) -> None:
    a, c = numbers(torch.float16, 16, 16, low=-1, high=1), torch.zeros(16, 16, dtype=torch.float16)
    run(half_product, (1,), a, c, N=16)
    check(c, a.double() @ a.double().T, scale=10)


@blockdsl.jit
def stored_in_part(a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_k, b_k, b_column, HALVES: tl.constexpr, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, 32)
    a_ptrs = a_ptr + (m % M)[:, None] * a_row + k[None, :] * a_k
    b_ptrs = b_ptr + k[:, None] * b_k + (n % N)[None, :] * b_column
    acc = tl.zeros((B, B), tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32)
    for iteration in range(tl.cdiv(K, 32)):
        inside = K - iteration * 32
        a = tl.load(a_ptrs, mask=k[None, :] < inside, other=0)
        b = tl.load(b_ptrs, mask=k[:, None] < inside, other=0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += 32 * a_k
        b_ptrs += 32 * b_k
    c_ptrs = c_ptr + m[:, None] * N + n[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    # Two stores under two masks need the union of both masks' elements.
    if HALVES:
        tl.store(c_ptrs, acc, mask=inside & (m[:, None] % 2 == 0))
        tl.store(c_ptrs, acc, mask=inside & (m[:, None] % 2 == 1))
    else:
        tl.store(c_ptrs, acc, mask=inside)


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("sizes", [(70, 130, 33), (129, 65, 96), (5, 9, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8])
def test_masked_results_are_not_stored(
    run: Run, dtype: torch.dtype, sizes: tuple[int, int, int], turned: tuple[bool, bool], halves: bool
) -> None:
    m, n, k = sizes
    a = numbers(dtype, k, m).t() if turned[0] else numbers(dtype, m, k)
    b = numbers(dtype, n, k).t() if turned[1] else numbers(dtype, k, n)
    c = torch.full((m * n + 64,), -7, dtype=RESULT.get(dtype, torch.float32))
    grid = (blockdsl.cdiv(m, 64), blockdsl.cdiv(n, 64))
    run(stored_in_part, grid, a, b, c, m, n, k, *a.stride(), *b.stride(), HALVES=halves, B=64)
    check(c[: m * n].view(m, n), a.double() @ b.double(), scale=60)
    assert (c[m * n :] == -7).all()


@blockdsl.jit
def many_batches(out_ptr, a_ptr, b_ptr, c_ptr):
    at = tl.arange(0, 2 * 4 * 2 * 16 * 8)
    a = tl.load(a_ptr + at).reshape(2, 4, 2, 16, 8)
    b = tl.load(b_ptr + at).reshape(2, 4, 2, 8, 16)
    out = tl.arange(0, 2 * 4 * 2 * 16 * 16)
    c = tl.load(c_ptr + out).reshape(2, 4, 2, 16, 16)
    tl.store(out_ptr + out, tl.dot(a, b, c, input_precision="ieee").reshape(2 * 4 * 2 * 16 * 16))


def test_five_dimensions(run: Run) -> None:
    a, b, c = (numbers(torch.float32, 2, 4, 2, *shape) for shape in ((16, 8), (8, 16), (16, 16)))
    out = torch.zeros_like(c)
    run(many_batches, (1,), out, a, b, c)
    torch.testing.assert_close(out, a @ b + c, rtol=1e-5, atol=1e-5)
