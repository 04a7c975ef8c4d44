"""Tests of sorting-network steps as Triton writes them: splits by products and sums, and reshapes of runs."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, numbers

import blockdsl
import blockdsl.language as tl

BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
KINDS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64]
COUNT = 128


def bits_of(dtype: torch.dtype) -> torch.Tensor:
    """Random bits, with the ends of the type's range, NaN, infinities and both zeros among them."""
    words = torch.randint(-(2**63), 2**63 - 1, (COUNT,), dtype=torch.int64)
    block = words.view(BITS[dtype.itemsize])[:COUNT].clone().view(dtype)
    if dtype.is_floating_point:
        ends = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0]
    else:
        ends = [torch.iinfo(dtype).min, torch.iinfo(dtype).max, 0, 1]
    block[torch.randperm(COUNT)[: len(ends)]] = torch.tensor(ends, dtype=dtype)
    return block


@blockdsl.jit
def halves(x_ptr, out_ptr, WORD: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    size: tl.constexpr = 2 * ROWS * COLUMNS
    i = tl.arange(0, size)
    pairs = tl.reshape(tl.load(x_ptr + i), (ROWS, 2, COLUMNS)).to(WORD, bitcast=True)
    second = tl.arange(0, 2)[None, :, None]
    left = tl.broadcast_to(tl.sum(pairs * (1 - second).to(WORD), 1)[:, None, :], pairs.shape).to(WORD)
    right = tl.broadcast_to(tl.sum(second.to(WORD) * pairs, 1)[:, None, :], pairs.shape).to(WORD)
    tl.store(out_ptr + i, tl.reshape(left, (size,)))
    tl.store(out_ptr + size + i, tl.reshape(right, (size,)))
    # The swap of the next step, of floats that were integers in this step.
    exchanged = tl.where(second == 0, right, left).to(x_ptr.dtype.element_ty, bitcast=True)
    again = tl.reshape(exchanged, (size // 2, 2)).to(WORD, bitcast=True)
    tl.store(
        out_ptr + 2 * size + tl.arange(0, size // 2), tl.sum(again * tl.arange(0, 2)[None, :].to(WORD), 1).to(WORD)
    )


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("columns", [1, 2, 4, 16, 64])
def test_halves_selected_by_sums(run: Run, dtype: torch.dtype, columns: int) -> None:
    x, word = bits_of(dtype), BITS[dtype.itemsize]
    rows = COUNT // 2 // columns
    out = torch.zeros(5 * COUNT // 2, dtype=word)
    run(halves, (1,), x, out, WORD=getattr(tl, str(word).removeprefix("torch.")), ROWS=rows, COLUMNS=columns)
    pairs = x.view(word).reshape(rows, 2, columns)
    assert torch.equal(out[:COUNT].reshape(pairs.shape), pairs[:, :1].expand_as(pairs))
    assert torch.equal(out[COUNT : 2 * COUNT].reshape(pairs.shape), pairs[:, 1:].expand_as(pairs))
    assert torch.equal(out[2 * COUNT :], pairs.flip(1).reshape(-1, 2)[:, 1])


@blockdsl.jit
def nearly_halves(x_ptr, weight_ptr, out_ptr, N: tl.constexpr):
    row, index = tl.arange(0, N)[:, None], tl.arange(0, 2)
    x = tl.load(x_ptr + 2 * row + index[None, :])
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.sum(x * (index + 1)[None, :], 1))
    tl.store(out_ptr + N + i, tl.sum(x * (index - 1)[None, :], 1))
    tl.store(out_ptr + 2 * N + i, tl.sum(x * tl.load(weight_ptr + index)[None, :], 1))
    tl.store(out_ptr + 3 * N + i, tl.max(x * index[None, :], 1))
    tl.store(out_ptr + 4 * N + i, tl.sum(x + index[None, :], 1))


def test_sums_that_select_nothing(run: Run) -> None:
    x, out = numbers(torch.int32, 16, 2), torch.zeros(5, 16, dtype=torch.int32)
    run(nearly_halves, (1,), x, torch.tensor([0, 1], dtype=torch.int32), out, N=16)
    left, right = x.unbind(1)
    for row, expected in zip(out, (left + 2 * right, -left, right, right.clamp(min=0), left + right + 1), strict=True):
        assert torch.equal(row, expected)


@blockdsl.jit
def picked_floats(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + 2 * tl.arange(0, N)[:, None] + tl.arange(0, 2)[None, :])
    tl.store(out_ptr + tl.arange(0, N), tl.sum(x * tl.arange(0, 2)[None, :], 1))


def test_floats_are_summed(run: Run) -> None:
    out = torch.zeros(4)
    run(picked_floats, (1,), torch.tensor([[torch.inf, 1.0], [torch.nan, 1.0], [-1.0, -0.0], [1.0, -0.0]]), out, N=4)
    assert out[:2].isnan().all()
    assert out[2:].view(torch.int32).tolist() == [-(2**31), 0]


@blockdsl.jit
def runs(x_ptr, moved_ptr, function_ptr, N: tl.constexpr, RUN: tl.constexpr):
    i = tl.arange(0, N)
    pairs = tl.reshape(tl.load(x_ptr + i), (N // RUN // 2, 2, RUN))
    moved = tl.reshape(tl.permute(pairs, (1, 0, 2)), (N,))
    tl.store(moved_ptr + i, moved + moved)
    tl.store(function_ptr + i, tl.exp(moved.to(tl.float32)))


@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32, torch.int64])
@pytest.mark.parametrize("length", [1, 2, 4, 8, 16, 32, 64, 128])
def test_runs_of_a_reshape(run: Run, dtype: torch.dtype, length: int) -> None:
    x = numbers(dtype, 256)
    moved, function = torch.zeros_like(x), torch.zeros(256)
    run(runs, (1,), x, moved, function, N=256, RUN=length)
    expected = x.reshape(-1, 2, length).transpose(0, 1).reshape(-1)
    assert torch.equal(moved, expected + expected)
    torch.testing.assert_close(function, expected.double().exp().float(), rtol=1e-6, atol=0)


@blockdsl.jit
def right_side(N_DIMS: tl.constexpr, J: tl.constexpr):
    return tl.reshape(tl.arange(0, 2), [1] * (N_DIMS - J - 1) + [2] + [1] * J)


@blockdsl.jit
def partner(x, J: tl.constexpr, N_DIMS: tl.constexpr, WORD: tl.constexpr):
    bits = x.to(WORD, bitcast=True)
    return (bits ^ tl.xor_sum(bits, N_DIMS - 1 - J, True)).to(x.dtype, bitcast=True)


@blockdsl.jit
def exchanged_pairs(k, v, flip, J: tl.constexpr, N_DIMS: tl.constexpr, WORD: tl.constexpr):
    other_k, other_v = partner(k, J, N_DIMS, WORD), partner(v, J, N_DIMS, tl.int32)
    swap = (k > other_k) != (flip ^ right_side(N_DIMS, J))
    return tl.where(swap, other_k, k), tl.where(swap, other_v, v)


@blockdsl.jit
def sort_pairs(x_ptr, out_ptr, places_ptr, N: tl.constexpr, N_DIMS: tl.constexpr, WORD: tl.constexpr):
    i = tl.arange(0, N)
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


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("bits", [4, 5, 7])
def test_unrolled_sort_of_pairs(run: Run, dtype: torch.dtype, bits: int) -> None:
    # With equal keys an element could appear twice, because each side of an exchange selects for itself.
    x = (torch.randperm(2**bits) - 2 ** (bits - 1)).to(dtype)
    out, indices = torch.zeros_like(x), torch.zeros(2**bits, dtype=torch.int32)
    word = getattr(tl, str(BITS[dtype.itemsize]).removeprefix("torch."))
    run(sort_pairs, (1,), x, out, indices, N=2**bits, N_DIMS=bits, WORD=word)
    assert torch.equal(out, x.sort(descending=True).values)
    assert torch.equal(x[indices.long()], out)
    assert torch.equal(indices.sort().values, torch.arange(2**bits, dtype=torch.int32))


@blockdsl.jit
def exchanges_and_sums(x_ptr, w_ptr, out_ptr, N: tl.constexpr):
    """Exchanges in dimensions of several extents, next to ops without a flat form, and into a reduction."""
    i = tl.arange(0, N)
    x = tl.reshape(tl.load(x_ptr + i), [4, 2, 2, 2, 2])
    weight = tl.reshape(tl.load(w_ptr + tl.arange(0, 4)), [4, 1, 1, 1, 1])
    row = tl.reshape(tl.arange(0, 4), [4, 1, 1, 1, 1])
    y = x ^ tl.xor_sum(x, 2, True)
    y = tl.where(row > 1, y + 1, x) * weight
    y = y ^ tl.xor_sum(y, 4, True)
    tl.store(out_ptr + i, tl.reshape(y, [N]))
    tl.store(out_ptr + N + tl.arange(0, N // 2), tl.reshape(tl.max(y, 3), [N // 2]))
    # A sum beside the block itself, and one over an axis of four, are no exchanges.
    tl.store(out_ptr + 2 * N + i, tl.reshape((y + 1) ^ tl.xor_sum(y, 1, True), [N]))
    tl.store(out_ptr + 3 * N + i, tl.reshape(y ^ tl.xor_sum(y, 0, True), [N]))


def test_exchanges_among_other_ops(run: Run) -> None:
    x, weight = numbers(torch.int32, 64), torch.tensor([1, -2, 3, 5], dtype=torch.int32)
    out = torch.zeros(256, dtype=torch.int32)
    run(exchanges_and_sums, (1,), x, weight, out, N=64)
    block = x.reshape(4, 2, 2, 2, 2)
    y = block.flip(2)
    y = torch.where(torch.arange(4).reshape(4, 1, 1, 1, 1) > 1, y + 1, block) * weight.reshape(4, 1, 1, 1, 1)
    y = y.flip(4)
    assert torch.equal(out[:64], y.reshape(-1))
    assert torch.equal(out[64:96], y.amax(3).reshape(-1))
    sums = y[:, :1] ^ y[:, 1:]
    assert torch.equal(out[128:192], ((y + 1) ^ sums).reshape(-1))
    assert torch.equal(out[192:], (y ^ (y[:1] ^ y[1:2] ^ y[2:3] ^ y[3:])).reshape(-1))
