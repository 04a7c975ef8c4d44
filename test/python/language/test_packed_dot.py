"""Tests of matmuls of narrow numbers, which CPUs multiply in groups: every layout of operands, against float64.

They run with the best instruction of the CPU; the results may not depend on it.
"""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

NARROW = [torch.bfloat16, torch.float16, torch.int8]
SUM = {torch.int8: torch.int32}


@blockdsl.jit
def product(
    a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    A_ALONG_M: tl.constexpr, B_ALONG_K: tl.constexpr, START: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    a = tl.load(a_ptr + (k[None, :] * M + m if A_ALONG_M else m * K + k[None, :]))
    b = tl.load(b_ptr + (n * K + k[:, None] if B_ALONG_K else k[:, None] * N + n))
    acc = tl.zeros((M, N), c_ptr.dtype.element_ty)
    if START:
        acc += tl.load(c_ptr + m * N + n)
    tl.store(c_ptr + m * N + n, tl.dot(a, b, acc))


def lying(matrix: torch.Tensor, transposed: bool) -> torch.Tensor:
    return matrix.T.contiguous() if transposed else matrix


SHAPES = [(16, 16, 16), (64, 64, 64), (32, 128, 16), (128, 32, 256), (64, 16, 32), (16, 8, 32), (2, 4, 8), (1, 64, 64)]


@pytest.mark.parametrize("lies", ["rows", "left", "right", "both"])
@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("shape", SHAPES)
def test_extents_and_directions(run: Run, dtype: torch.dtype, shape: tuple[int, int, int], lies: str) -> None:
    m, n, k = shape
    along_m, along_k = lies in ("left", "both"), lies in ("right", "both")
    a, b = numbers(dtype, m, k, low=-100, high=100), numbers(dtype, k, n, low=-128, high=127)
    c = numbers(SUM.get(dtype, torch.float32), m, n)
    expected = a.double() @ b.double() + c.double()
    run(product, (1,), lying(a, along_m), lying(b, along_k), c, M=m, N=n, K=k, A_ALONG_M=along_m, B_ALONG_K=along_k,
        START=True)  # fmt: skip
    check(c / 1e4 if dtype != torch.int8 else c, expected / 1e4 if dtype != torch.int8 else expected, scale=k)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int8])
@pytest.mark.parametrize("shape", [(16, 16, 1), (16, 16, 2), (16, 2, 16), (16, 1, 64), (1, 1, 4)])
def test_extents_below_group_size(run: Run, dtype: torch.dtype, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    a, b = numbers(dtype, m, k), numbers(dtype, k, n)
    c = torch.zeros(m, n, dtype=SUM.get(dtype, torch.float32))
    run(product, (1,), a, b, c, M=m, N=n, K=k, A_ALONG_M=False, B_ALONG_K=False, START=False)
    check(c, a.double() @ b.double(), scale=30)


@pytest.mark.parametrize("left", [-128, -1, 0, 127])
@pytest.mark.parametrize("right", [-128, -1, 127])
def test_extreme_bytes_do_not_saturate(run: Run, left: int, right: int) -> None:
    a = torch.full((16, 256), left, dtype=torch.int8)
    b = torch.full((256, 16), right, dtype=torch.int8)
    c = torch.zeros(16, 16, dtype=torch.int32)
    run(product, (1,), a, b, c, M=16, N=16, K=256, A_ALONG_M=False, B_ALONG_K=False, START=False)
    assert torch.equal(c, torch.full_like(c, left * right * 256))


@pytest.mark.cpu_only
@pytest.mark.parametrize("start", [2**31 - 1, -(2**31)])
def test_sums_of_bytes_wrap(run: Run, start: int) -> None:
    a, b = numbers(torch.int8, 32, 64, low=-128, high=127), numbers(torch.int8, 64, 32, low=-128, high=127)
    c = torch.full((32, 32), start, dtype=torch.int32)
    expected = (a.long() @ b.long() + start).to(torch.int32)
    run(product, (1,), a, b, c, M=32, N=32, K=64, A_ALONG_M=False, B_ALONG_K=False, START=True)
    assert torch.equal(c, expected)


def test_every_pair_of_bytes(run: Run) -> None:
    bytes_ = torch.arange(-128, 128).to(torch.int8)
    a, b = torch.zeros(256, 4, dtype=torch.int8), torch.zeros(4, 256, dtype=torch.int8)
    a[:, 3], b[3, :] = bytes_, bytes_
    c = torch.zeros(256, 256, dtype=torch.int32)
    run(product, (1,), a, b, c, M=256, N=256, K=4, A_ALONG_M=False, B_ALONG_K=False, START=False)
    assert torch.equal(c, torch.outer(bytes_.int(), bytes_.int()))


def test_special_values_of_bf16(run: Run) -> None:
    inf, nan = float("inf"), float("nan")
    a, b = numbers(torch.bfloat16, 16, 32), numbers(torch.bfloat16, 32, 16)
    a[0, 0], a[1, 1], a[2, 2], a[3, :], a[4, :] = inf, -inf, nan, 0.0, -0.0
    a[5, :], a[5, 0], b[0, 5] = 0.0, 3.0e38, 2.0  # beyond the largest f32
    b[7, 7] = nan
    c = torch.zeros(16, 16)
    run(product, (1,), a, b, c, M=16, N=16, K=32, A_ALONG_M=False, B_ALONG_K=False, START=False)
    expected = (a.double() @ b.double()).float()
    assert torch.equal(c.isnan(), expected.isnan())
    assert torch.equal(c.isinf(), expected.isinf())
    finite = expected.isfinite() & (expected.abs() < 1e30)
    check(c[finite], expected[finite], scale=30)
    assert not c[3].nan_to_num().any()
    assert not c[4].nan_to_num().any()


@blockdsl.jit
def tiled(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WRAPS: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    rows, columns = (m % M, n % N) if WRAPS else (m, n)
    acc = tl.zeros((BM, BN), c_ptr.dtype.element_ty)
    for start in range(0, K, BK):
        at = start + k
        a_mask, b_mask = at[None, :] < K, at[:, None] < K
        if not WRAPS:
            a_mask, b_mask = a_mask & (rows[:, None] < M), b_mask & (columns[None, :] < N)
        a = tl.load(a_ptr + rows[:, None] * K + at[None, :], mask=a_mask, other=0)
        b = tl.load(b_ptr + at[:, None] * N + columns[None, :], mask=b_mask, other=0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("sizes", [(50, 40, 70), (33, 65, 31), (64, 64, 1)])
def test_ragged_sizes(run: Run, dtype: torch.dtype, sizes: tuple[int, int, int], wraps: bool) -> None:
    m, n, k = sizes
    a, b = numbers(dtype, m, k), numbers(dtype, k, n)
    c = torch.zeros(m, n, dtype=SUM.get(dtype, torch.float32))
    grid = (blockdsl.cdiv(m, 32), blockdsl.cdiv(n, 32))
    run(tiled, grid, a, b, c, m, n, k, BM=32, BN=32, BK=32, WRAPS=wraps)
    check(c, a.double() @ b.double(), scale=40)


@blockdsl.jit
def batched(a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, B)[:, None, None]
    m, n = tl.arange(0, M)[None, :, None], tl.arange(0, N)[None, None, :]
    a = tl.load(a_ptr + (i * M + m) * K + tl.arange(0, K)[None, None, :])
    b = tl.load(b_ptr + (i * K + tl.arange(0, K)[None, :, None]) * N + n)
    tl.store(c_ptr + (i * M + m) * N + n, tl.dot(a, b))


@pytest.mark.parametrize("dtype", NARROW)
def test_batches(run: Run, dtype: torch.dtype) -> None:
    a, b = numbers(dtype, 4, 16, 32), numbers(dtype, 4, 32, 64)
    c = torch.zeros(4, 16, 64, dtype=SUM.get(dtype, torch.float32))
    run(batched, (1,), a, b, c, B=4, M=16, N=64, K=32)
    check(c, a.double() @ b.double(), scale=40)


@blockdsl.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, SEQ, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    acc = tl.zeros((BM, D), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    largest = tl.full((BM,), float("-inf"), tl.float32)
    for start in range(0, SEQ, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + n[:, None] * D + d[None, :])
        v = tl.load(v_ptr + n[:, None] * D + d[None, :])
        s = tl.dot(q, tl.trans(k))
        highest = tl.maximum(largest, tl.max(s, axis=1))
        p, old = tl.exp(s - highest[:, None]), tl.exp(largest - highest)
        total = total * old + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * old[:, None])
        largest = highest
    tl.store(out_ptr + m[:, None] * D + d[None, :], acc / total[:, None])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_chained_products(run: Run, dtype: torch.dtype) -> None:
    q, k = numbers(dtype, 64, 32, low=-1, high=1), numbers(dtype, 128, 32, low=-1, high=1)
    v, out = numbers(dtype, 128, 32, low=-1, high=1), torch.zeros(64, 32)
    run(attention, (2,), q, k, v, out, 128, D=32, BM=32, BN=64)
    weights = torch.softmax(q.double() @ k.double().T, dim=1)
    torch.testing.assert_close(out.double(), weights @ v.double(), rtol=0, atol=5e-3)


@blockdsl.jit
def computed_sides(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    """Operands that are results of other loops and of other matmuls."""
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
    first = tl.dot(a, b).to(a.dtype)
    second = tl.dot(tl.where(b > 0, b, a), tl.trans(first))
    tl.store(c_ptr + at, tl.dot(first, first, second))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int8])
def test_sides_that_are_computed(run: Run, dtype: torch.dtype) -> None:
    a, b = numbers(dtype, 32, 32, low=-2, high=2), numbers(dtype, 32, 32, low=-1, high=2).round()
    a = a.round()
    wide = SUM.get(dtype, torch.float32)
    c = torch.zeros(32, 32, dtype=wide)
    run(computed_sides, (1,), a, b, c, N=32)
    first = (a.to(wide) @ b.to(wide)).to(dtype).double()
    check(c, torch.where(b > 0, b, a).double() @ first.T + first @ first, scale=40)
