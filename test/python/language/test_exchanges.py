"""Tests of accesses at ``i ^ bits``: within a vector, of whole vectors, both, and neither."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, numbers
from torch import Tensor

import blockdsl
import blockdsl.language as tl

KINDS = [
    torch.bool, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64,
]  # fmt: skip
BITS = [1, 2, 4, 8, 16, 32, 64, 3, 25, 48, 127]
N = 128


@blockdsl.jit
def gathered(x_ptr, out_ptr, rows_ptr, columns_ptr, N: tl.constexpr, BIT: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.gather(x, i ^ BIT, 0))
    row, column = tl.arange(0, 2)[:, None], tl.arange(0, N)[None, :]
    y = tl.load(x_ptr + row * N + column)
    tl.store(columns_ptr + row * N + column, tl.gather(y, tl.broadcast_to(column ^ BIT, y.shape), 1))
    z = tl.load(x_ptr + column.T * 2 + row.T)
    tl.store(rows_ptr + column.T * 2 + row.T, tl.gather(z, tl.broadcast_to(column.T ^ BIT, z.shape), 0))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("bit", BITS)
def test_gathers(run: Run, dtype: torch.dtype, bit: int) -> None:
    x = numbers(dtype, 2 * N)
    out, rows, columns = torch.zeros_like(x[:N]), torch.zeros_like(x), torch.zeros_like(x)
    run(gathered, (1,), x, out, rows, columns, N=N, BIT=bit)
    other = torch.arange(N) ^ bit
    assert torch.equal(out, x[:N][other])
    assert torch.equal(rows, x.view(N, 2)[other].view(-1))
    assert torch.equal(columns, x.view(2, N)[:, other].reshape(-1))


@blockdsl.jit
def accessed(x_ptr, out_ptr, masked_ptr, stored_ptr, n, N: tl.constexpr, BIT: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    other = i ^ BIT
    tl.store(out_ptr + i, tl.load(x_ptr + other))
    tl.store(masked_ptr + i, tl.load(x_ptr + other, mask=other < n, other=i))
    tl.store(stored_ptr + other, tl.load(x_ptr + i), mask=(other < n) & (i % 3 != 0))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
@pytest.mark.parametrize("bit", BITS)
def test_loads_and_stores(run: Run, dtype: torch.dtype, bit: int) -> None:
    x, n = numbers(dtype, 2 * N), 2 * N - 21
    out, masked, stored = torch.zeros_like(x), torch.zeros_like(x), torch.zeros_like(x)
    run(accessed, (2,), x, out, masked, stored, n, N=N, BIT=bit)
    i = torch.arange(2 * N)
    other = i ^ bit
    assert torch.equal(out, x[other])
    assert torch.equal(masked, torch.where(other < n, x[other], i.to(dtype)))
    # The stored element is the one at the exchanged index, under its mask.
    assert torch.equal(stored, torch.where((i < n) & (other % 3 != 0), x[other], 0))


@blockdsl.jit
def beyond(x_ptr, out_ptr, n, N: tl.constexpr, BIT: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + (i ^ BIT), mask=(i ^ BIT) < n, other=-1))


@pytest.mark.parametrize("n", [1, 5, 16, 30, 61])
@pytest.mark.parametrize("bit", [1, 5, 8, 32, 64])
def test_masked_lanes_are_not_read(run: Run, n: int, bit: int) -> None:
    x, out = numbers(torch.int32, n), torch.zeros(64, dtype=torch.int32)
    run(beyond, (1,), x, out, n, N=64, BIT=bit)
    other = torch.arange(64) ^ bit
    assert torch.equal(out, torch.where(other < n, x[other.clamp(max=n - 1)], -1))


@blockdsl.jit
def combined(x_ptr, out_ptr, N: tl.constexpr, A: tl.constexpr, B: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, N)
    first, second = i ^ A, i ^ B
    tl.store(out_ptr + i, tl.load(x_ptr + first + second))  # no stride
    tl.store(out_ptr + BLOCK + i, tl.load(x_ptr + first + first))  # every second element
    tl.store(out_ptr + 2 * BLOCK + i, tl.load(x_ptr + (first ^ B)))
    tl.store(out_ptr + 3 * BLOCK + i, tl.load(x_ptr + (N - 1 - first)))  # from the last to the first
    tl.store(out_ptr + 4 * BLOCK + i, tl.load(x_ptr + ((i + 3) ^ A)))  # across vectors
    tl.store(out_ptr + 5 * BLOCK + i, tl.load(x_ptr + first % 32 + first // 32))
    tl.store(out_ptr + 6 * BLOCK + i, tl.load(x_ptr + first, mask=first > second, other=0) + first * 3 - second)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + 7 * BLOCK + i, tl.gather(x, first, 0) - tl.gather(x, second, 0) * 3)


@pytest.mark.parametrize(("a", "b"), [(1, 2), (3, 3), (4, 16), (16, 32), (21, 1), (63, 42), (8, 0)])
def test_sums_of_indices(run: Run, a: int, b: int) -> None:
    count = 64
    x, out = numbers(torch.int32, 4 * count, low=-1000, high=1000), torch.zeros(8 * count, dtype=torch.int32)
    run(combined, (1,), x, out, N=count, A=a, B=b, BLOCK=count)
    i = torch.arange(count)
    first, second = i ^ a, i ^ b
    last = torch.where(first > second, x[first], 0) + first * 3 - second
    indices = [first + second, 2 * first, first ^ b, count - 1 - first, (i + 3) ^ a, first % 32 + first // 32]
    difference = x[first] - x[second] * 3
    assert torch.equal(out.view(8, count), torch.stack([*(x[index] for index in indices), last.int(), difference]))


@blockdsl.jit
def narrow(x_ptr, out_ptr, wide_ptr, N: tl.constexpr, BIT: tl.constexpr, FIRST: tl.constexpr, INDEX: tl.constexpr):
    i = tl.arange(0, N)
    other = (i + FIRST).to(INDEX) ^ BIT
    tl.store(wide_ptr + i, other.to(tl.int32))
    tl.store(out_ptr + i, tl.load(x_ptr + (other.to(tl.int32) + 128)))


@pytest.mark.parametrize("index", [torch.int8, torch.uint8, torch.int16])
@pytest.mark.parametrize("first", [0, 64, 100, 128, 192])
@pytest.mark.parametrize("bit", [1, 17, 64, 96])
def test_indices_of_few_bits(run: Run, index: torch.dtype, first: int, bit: int) -> None:
    x, count = numbers(torch.int16, 512), 128
    out, wide = torch.zeros(count, dtype=torch.int16), torch.zeros(count, dtype=torch.int32)
    name = str(index).removeprefix("torch.")
    run(narrow, (1,), x, out, wide, N=count, BIT=bit, FIRST=first, INDEX=getattr(tl, name))
    expected = ((torch.arange(count) + first).to(index) ^ bit).int()
    assert torch.equal(wide, expected)
    assert torch.equal(out, x[expected + 128])


@blockdsl.jit
def right_side(N_DIMS: tl.constexpr, J: tl.constexpr):
    return tl.reshape(tl.arange(0, 2), [1] * (N_DIMS - J - 1) + [2] + [1] * J)


@blockdsl.jit
def exchanged_pairs(k, v, flip, J: tl.constexpr, N_DIMS: tl.constexpr, WORD: tl.constexpr):
    bits = k.to(WORD, bitcast=True)
    other_k = (bits ^ tl.xor_sum(bits, N_DIMS - 1 - J, True)).to(k.dtype, bitcast=True)
    other_v = v ^ tl.xor_sum(v, N_DIMS - 1 - J, True)
    swap = (k > other_k) != (flip ^ right_side(N_DIMS, J))
    return tl.where(swap, other_k, k), tl.where(swap, other_v, v)


@blockdsl.jit
def sort_pairs(x_ptr, out_ptr, places_ptr, N: tl.constexpr, N_DIMS: tl.constexpr, WORD: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    k = tl.reshape(tl.load(x_ptr + i), [2] * N_DIMS)
    v = tl.reshape(i, [2] * N_DIMS)
    for stage in tl.static_range(1, N_DIMS + 1):
        for step in tl.static_range(stage):
            if stage < N_DIMS:
                k, v = exchanged_pairs(k, v, right_side(N_DIMS, stage), stage - 1 - step, N_DIMS, WORD)
            else:
                k, v = exchanged_pairs(k, v, 1, stage - 1 - step, N_DIMS, WORD)
    tl.store(out_ptr + i, tl.reshape(k, [N]))
    tl.store(places_ptr + i, tl.reshape(v, [N]))


def network(k: Tensor, n_dims: int) -> tuple[Tensor, Tensor]:
    """The same network, because with equal keys, NaN or zeros of both signs its result is no permutation."""
    i = torch.arange(2**n_dims)
    v = i
    for stage in range(1, n_dims + 1):
        for bit in reversed(range(stage)):
            other = i ^ (1 << bit)
            falls = torch.ones_like(i) if stage == n_dims else i >> stage & 1
            swap = (k > k[other]).int() != (falls ^ (i >> bit & 1))
            k, v = torch.where(swap, k[other], k), torch.where(swap, v[other], v)
    return k, v


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float64])
@pytest.mark.parametrize("n_dims", [6, 8])
def test_long_unrolled_sorts(run: Run, dtype: torch.dtype, n_dims: int) -> None:
    count = 2**n_dims
    x = numbers(dtype, 2 * count, low=-100, high=100)
    if dtype.is_floating_point:
        x[:: count // 16] = torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0, -0.0]).repeat(7)[:32].to(dtype)
    word = {1: tl.int8, 2: tl.int16, 4: tl.int32, 8: tl.int64}[dtype.itemsize]
    bits = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    out, indices = torch.zeros_like(x), torch.zeros(2 * count, dtype=torch.int32)
    run(sort_pairs, (2,), x, out, indices, N=count, N_DIMS=n_dims, WORD=word)
    for program in range(2):
        here = slice(program * count, (program + 1) * count)
        k, v = network(x[here], n_dims)
        assert torch.equal(out[here].view(bits), k.view(bits))
        assert torch.equal(indices[here], (v + program * count).int())


def test_unrolled_sort_of_1024_pairs(run: Run) -> None:
    x = torch.randn(1024)
    out, indices = torch.zeros(1024), torch.zeros(1024, dtype=torch.int32)
    run(sort_pairs, (1,), x, out, indices, N=1024, N_DIMS=10, WORD=tl.int32)
    assert torch.equal(out, x.sort(descending=True).values)
    assert torch.equal(x[indices.long()], out)
