"""Tests of loops over the blocks of a row: no iteration, one, several, and a last one that exceeds the row."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

BLOCK = 128
LENGTHS = [0, 1, 5, 16, 63, 64, 65, 127, 128, 129, 144, 200, 256, 300, 384]
"""Up to three iterations."""


@blockdsl.jit
def later(value, index, other_value, other_index):
    better = (other_value > value) | ((other_value == value) & (other_index < index))
    return tl.where(better, other_value, value), tl.where(better, other_index, index)


@blockdsl.jit
def summarize_row(x_ptr, out_ptr, turns_ptr, length, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], x_ptr.dtype.element_ty)
    squares = tl.zeros([BLOCK], x_ptr.dtype.element_ty)
    largest = tl.full([BLOCK], float("-inf"), x_ptr.dtype.element_ty)
    least = tl.full([BLOCK], float("inf"), x_ptr.dtype.element_ty)
    best = tl.full([BLOCK], float("-inf"), x_ptr.dtype.element_ty)
    where = tl.zeros([BLOCK], tl.int32)
    iterations = 0
    for start in range(0, length, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < length
        x = tl.load(x_ptr + at, mask=inside, other=0)
        total += x
        squares = tl.where(inside, squares + x * x, squares)
        largest = tl.maximum(largest, tl.where(inside, x, float("-inf")))
        least = tl.minimum(least, tl.where(inside, x, float("inf")))
        better = inside & (x > best)
        best = tl.where(better, x, best)
        where = tl.where(better, at, where)
        iterations += 1
    tl.store(out_ptr, tl.sum(total, 0))
    tl.store(out_ptr + 1, tl.sum(squares, 0))
    tl.store(out_ptr + 2, tl.max(largest, 0))
    tl.store(out_ptr + 3, tl.min(least, 0))
    _, index = tl.reduce((best, where), 0, later)
    tl.store(turns_ptr, iterations)
    tl.store(turns_ptr + 1, index)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("length", LENGTHS)
def test_reduction_of_carried_values(run: Run, dtype: torch.dtype, length: int) -> None:
    x = numbers(dtype, length)
    out, iterations = torch.zeros(4, dtype=dtype), torch.full((2,), -1, dtype=torch.int32)
    run(summarize_row, (1,), x, out, iterations, length, BLOCK=BLOCK)
    wide = x.double()
    check(out[:2], torch.stack([wide.sum(), (wide * wide).sum()]), scale=64)
    assert out[2:].tolist() == ([wide.max(), wide.min()] if length else [-float("inf"), float("inf")])
    assert iterations.tolist() == [-(-length // BLOCK), int(wide.argmax()) if length else 0]


@blockdsl.jit
def sum_rows(x_ptr, out_ptr, rows, length, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.arange(0, ROWS)
    total = tl.zeros([ROWS, BLOCK], tl.float32)
    for start in range(0, length, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = (row < rows)[:, None] & (at < length)[None, :]
        total += tl.load(x_ptr + row[:, None] * length + at[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, 1), mask=row < rows)


@pytest.mark.parametrize("rows", [1, 3, 4])
@pytest.mark.parametrize("length", LENGTHS)
def test_rows_of_a_block(run: Run, rows: int, length: int) -> None:
    x, out = numbers(torch.float32, rows, length), torch.zeros(rows)
    run(sum_rows, (1,), x, out, rows, length, ROWS=4, BLOCK=BLOCK)
    check(out, x.double().sum(1), scale=64)


@blockdsl.jit
def keep_block(x_ptr, sums_ptr, largest_ptr, zero, nothing, length, BLOCK: tl.constexpr, KNOWN: tl.constexpr):
    """Carried blocks start with a constant, or with a parameter."""
    at = tl.arange(0, BLOCK)
    total = tl.full([BLOCK], 0.0, tl.float32) if KNOWN else tl.zeros([BLOCK], tl.float32) + zero
    largest = tl.full([BLOCK], float("-inf"), tl.float32) if KNOWN else tl.zeros([BLOCK], tl.float32) + nothing
    for start in range(0, length, BLOCK):
        inside = start + at < length
        x = tl.load(x_ptr + start + at, mask=inside, other=0.0)
        total += x
        largest = tl.maximum(largest, tl.where(inside, x, float("-inf")))
    tl.store(sums_ptr + at, total)
    tl.store(largest_ptr + at, largest)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("length", [0, 40, 128, 150])
def test_masked_elements_are_combined_as_other(run: Run, known: bool, length: int) -> None:
    """A maximum ignores a NaN after an iteration, also past the end of the row."""
    x = numbers(torch.float32, length)
    sums, largest = torch.full((2, BLOCK), -7.0)
    run(keep_block, (1,), x, sums, largest, 0.0, float("nan"), length, BLOCK=BLOCK, KNOWN=known)
    iterations = -(-length // BLOCK)
    padded = torch.zeros(iterations * BLOCK)
    padded[:length] = x
    check(sums, padded.double().view(iterations, BLOCK).sum(0), scale=4)
    padded[length:] = -float("inf")
    start = torch.full((1, BLOCK), -float("inf"))
    expected = torch.cat([start, padded.view(iterations, BLOCK)]).max(0).values
    if not known and iterations == 0:
        expected = torch.full((BLOCK,), float("nan"))
    assert torch.equal(largest.nan_to_num(123.0), expected.nan_to_num(123.0))


@blockdsl.jit
def add_to_negative_zero(x_ptr, out_ptr, length, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.full([BLOCK], -0.0, tl.float32)
    for start in range(0, length, BLOCK):
        total += tl.load(x_ptr + start + at, mask=start + at < length, other=0.0)
    tl.store(out_ptr + at, total)


def test_zeros_keep_their_signs(run: Run) -> None:
    x, out = torch.full((40,), -0.0), torch.ones(BLOCK)
    run(add_to_negative_zero, (1,), x, out, 40, BLOCK=BLOCK)
    assert (out == 0).all()
    assert torch.signbit(out).tolist() == [True] * 40 + [False] * (BLOCK - 40)


@blockdsl.jit
def count_from(out_ptr, first, last, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.int32)
    for start in range(first, last, BLOCK):
        total += (start + tl.arange(0, BLOCK) < last).to(tl.int32)
    tl.store(out_ptr, tl.sum(total, 0))


@pytest.mark.parametrize(
    ("first", "last"), [(0, 128), (-(2**31), -(2**31) + 100), (-50, 50), (7, -7), (5, 5), (-(2**31), -(2**31) + 300)]
)
def test_arbitrary_bounds(run: Run, first: int, last: int) -> None:
    out = torch.full((1,), -1, dtype=torch.int32)
    run(count_from, (1,), out, first, last, BLOCK=BLOCK)
    assert out.tolist() == [max(0, last - first)]
