"""Tests of blocks under masks with any number of true elements: whole steps, single vectors, part of a vector, none."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

BLOCK, GUARD = 256, -7.0
"""A block has several vectors of every type; the guard value surrounds the part that a kernel may access."""

LENGTHS = [*range(20), *range(30, 36), *range(62, 68), 79, 80, 81, 96, 127, 128, 129, 176, 207, 255, 256]


@blockdsl.jit
def normalize_head(x_ptr, out_ptr, sums_ptr, length, BLOCK: tl.constexpr):
    """Cheap loops, one with a polynomial, and a store, each with vectors of another length."""
    at = tl.arange(0, BLOCK)
    inside = at < length
    x = tl.load(x_ptr + at, mask=inside, other=-float("inf"))
    exponentials = tl.exp(x - tl.max(x, 0))
    total = tl.sum(exponentials, 0)
    tl.store(out_ptr + at, exponentials / total, mask=inside)
    tl.store(sums_ptr, total)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_every_length_of_a_row(run: Run, dtype: torch.dtype) -> None:
    for length in LENGTHS[1:]:
        x = numbers(dtype, length)
        out, total = torch.full((BLOCK,), GUARD, dtype=dtype), torch.zeros(1, dtype=dtype)
        run(normalize_head, (1,), x, out, total, length, BLOCK=BLOCK)
        check(out[:length], x.double().softmax(0))
        check(total, (x.double() - x.double().max()).exp().sum(0, keepdim=True), scale=4)
        assert (out[length:] == GUARD).all(), f"elements past {length} were stored"


@blockdsl.jit
def extremes_of_head(x_ptr, out_ptr, length, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < length, other=0)
    tl.store(out_ptr, tl.sum(x, 0))
    tl.store(out_ptr + 1, tl.xor_sum(x, 0))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_every_length_of_a_sum(run: Run, dtype: torch.dtype) -> None:
    for length in LENGTHS:
        x = numbers(dtype, length, low=-1000, high=1000)
        out = torch.zeros(2, dtype=dtype)
        run(extremes_of_head, (1,), x, out, length, BLOCK=BLOCK)
        parity = 0
        for value in x.tolist():
            parity ^= value
        assert out.tolist() == [int(x.sum()), parity], f"at length {length}"


@blockdsl.jit
def double_between(x_ptr, out_ptr, low, high, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = (at >= low) & (at < high)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=inside) * 2, mask=inside)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8])
def test_every_part_between_two_bounds(run: Run, dtype: torch.dtype) -> None:
    x = numbers(dtype, BLOCK)
    for low in (0, 1, 17, 64, 100, 250):
        for high in LENGTHS:
            out = torch.full((BLOCK,), GUARD).to(dtype)
            expected = out.clone()
            expected[low:high] = x[low:high] * 2
            run(double_between, (1,), x, out, low, high, BLOCK=BLOCK)
            assert torch.equal(out, expected), f"from {low} to {high}"


@blockdsl.jit
def copy_row(x_ptr, out_ptr, start, length, BLOCK: tl.constexpr):
    """Rows begin at a run-time offset, so stores begin with a partial vector, for alignment."""
    at = tl.arange(0, BLOCK)
    inside = at < length
    x = tl.load(x_ptr + start + at, mask=inside)
    tl.store(out_ptr + start + at, x + x, mask=inside)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.int8])
def test_unaligned_rows(run: Run, dtype: torch.dtype) -> None:
    block = 1024
    x = numbers(dtype, 2 * block, low=-50, high=50)
    for start in (0, 1, 3, 8, 15, 17, 61):
        for length in (0, 1, 2, 14, 63, 64, 65, 127, 500, 781, block):
            out = torch.full((2 * block,), GUARD).to(dtype)
            expected = out.clone()
            expected[start : start + length] = 2 * x[start : start + length]
            run(copy_row, (1,), x, out, start, length, BLOCK=block)
            assert torch.equal(out, expected), f"from {start}, {length} long"


@blockdsl.jit
def store_twice_where_set(flags_ptr, out_ptr, length, FORM: tl.constexpr, BLOCK: tl.constexpr):
    """The mask of stores in a loop is itself loaded under a mask."""
    at = tl.arange(0, BLOCK)
    inside = at < length
    flags = tl.load(flags_ptr + at, mask=inside)
    if FORM == "compared":
        flags = flags != 0
    elif FORM == "converted":
        flags = flags.to(tl.int1)
    chosen = inside & flags
    for iteration in range(2):
        tl.store(out_ptr + at * 2 + iteration, at, mask=chosen)


@pytest.mark.parametrize("form", ["as it is", "compared", "converted"])
def test_mask_that_was_loaded_under_a_mask(run: Run, form: str) -> None:
    dtype = torch.bool if form == "as it is" else torch.int32
    for length in LENGTHS:
        flags = numbers(torch.bool, BLOCK).to(dtype)
        flags[length:] = 1  # these must not be read
        out = torch.full((2 * BLOCK,), -1, dtype=torch.int32)
        run(store_twice_where_set, (1,), flags, out, length, FORM=form, BLOCK=BLOCK)
        expected = torch.where(flags.bool() & (torch.arange(BLOCK) < length), torch.arange(BLOCK), -1)
        assert torch.equal(out, expected.repeat_interleave(2).int()), f"at length {length}"


@blockdsl.jit
def load_where_set(flags_ptr, x_ptr, out_ptr, last_ptr, length, FORM: tl.constexpr, BLOCK: tl.constexpr):
    """A mask loaded under another mask controls loads whose results are only stored under that other mask."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < length
    flags = tl.load(flags_ptr + at, mask=inside)
    chosen, indices = flags != 0, tl.abs(flags) * at
    for iteration in range(2):
        if FORM == "mask":
            x = tl.load(x_ptr + at, mask=chosen)
        elif FORM == "address":
            x = tl.load(x_ptr + indices)
        else:
            x = tl.load(x_ptr + indices, mask=inside)
        tl.store(out_ptr + at * 2 + iteration, x, mask=inside)
    last = tl.load(x_ptr + at, mask=chosen) if FORM == "mask" else indices
    tl.store(last_ptr + at, last, mask=inside)


@pytest.mark.parametrize("form", ["mask", "address", "address under the mask"])
@pytest.mark.parametrize("block", [64, 256])
def test_loads_under_a_loaded_mask(run: Run, form: str, block: int) -> None:
    """The second program finds the first one's data at masked-off elements."""
    for length in (block + part for part in LENGTHS if part <= block):
        flags = (numbers(torch.bool, length) | (torch.arange(length) % 32 == 31)).int()
        x, out = torch.arange(1, length + 1, dtype=torch.int32), torch.full((4 * block,), -1, dtype=torch.int32)
        indices, last = flags * torch.arange(length, dtype=torch.int32), torch.empty(length, dtype=torch.int32)
        expected = x * flags if form == "mask" else x[indices]
        run(load_where_set, (2,), flags, x, out, last, length, FORM=form, BLOCK=block)
        assert torch.equal(out[: 2 * length], expected.repeat_interleave(2)), f"at length {length}"
        assert (out[2 * length :] == -1).all(), f"at length {length}"
        assert torch.equal(last, expected if form == "mask" else indices), f"at length {length}"


@blockdsl.jit
def store_from_the_middle(
    x_ptr, order_ptr, other_ptr, out_ptr, low, SHIFT: tl.constexpr, FORM: tl.constexpr, N: tl.constexpr
):
    """The arrays end with the block: a vector that exceeds it must not be loaded whole."""
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    if FORM == "gathered":
        x = tl.load(x_ptr + tl.load(order_ptr + at))
    elif FORM == "under another mask":
        x = tl.load(x_ptr + at, mask=at < low + 2 * N, other=-1)
    elif FORM == "overtaken":
        tl.store(x_ptr + at, x + 1, mask=at < 3)
        x = tl.flip(x, 0)
    elif FORM == "scattered":
        tl.store(out_ptr + SHIFT + tl.load(order_ptr + at), x, mask=at >= low)
    if FORM != "scattered":
        tl.store(out_ptr + SHIFT + at, x + tl.load(other_ptr + at // N), mask=at >= low)


@pytest.mark.parametrize("form", ["as it is", "gathered", "under another mask", "overtaken", "scattered"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int8])
def test_store_that_starts_in_the_middle(run: Run, dtype: torch.dtype, form: str) -> None:
    for shift in (0, 1, 5):
        for low in (0, 1, 5, 63, 200, BLOCK - 3, BLOCK - 1, BLOCK, -4):
            x = numbers(dtype, BLOCK, low=-50, high=50)
            order, other = torch.arange(BLOCK - 1, -1, -1, dtype=torch.int32), torch.ones(1, dtype=dtype)
            out = torch.full((BLOCK + shift,), 77, dtype=dtype)
            result, before = out[shift:].clone(), x.clone()
            run(store_from_the_middle, (1,), x, order, other, out, low, SHIFT=shift, FORM=form, N=BLOCK)
            given = before.flip(0) + 1 if form in ("gathered", "overtaken") else before + 1
            inside = torch.arange(BLOCK) >= low
            expected = torch.where(inside, given, result)
            if form == "scattered":
                expected = torch.where(inside, before, result.flip(0)).flip(0)
            assert torch.equal(out[shift:], expected), f"from {low} on, {shift} elements in"
            assert (out[:shift] == 77).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8])
def test_unaligned_stores_of_full_rows(run: Run, dtype: torch.dtype) -> None:
    for shift in range(20):
        x, other = numbers(dtype, 2048), torch.ones(1, dtype=dtype)
        out = torch.zeros(2048 + shift, dtype=dtype)
        run(store_from_the_middle, (1,), x, other, other, out, -1, SHIFT=shift, FORM="as it is", N=2048)
        assert torch.equal(out[shift:], x + 1)


@blockdsl.jit
def stored_under_masks_of_a_loop(x_ptr, out_ptr, iterations, N: tl.constexpr):
    at = tl.arange(0, N)
    y = tl.exp(tl.cumsum(tl.load(x_ptr + at), 0) * 0.01)
    for iteration in range(iterations):
        tl.store(out_ptr + iteration * N + at, y, mask=at < iteration * 5)


def test_block_computed_before_its_store_masks(run: Run) -> None:
    x, out = torch.rand(64), torch.full((4, 64), -1.0)
    run(stored_under_masks_of_a_loop, (1,), x, out, 4, N=64)
    mask = torch.arange(64) < torch.arange(4)[:, None] * 5
    expected = torch.where(mask, torch.exp(torch.cumsum(x, 0) * 0.01), torch.tensor(-1.0))
    torch.testing.assert_close(out, expected)


@blockdsl.jit
def rows_under_one_truth(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    """Rows that begin anywhere, each under a mask that is uniform in the row."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    is_row = row + tl.arange(0, 1) < rows
    tl.store(out_ptr + row * (BLOCK + 1) + at, x, mask=is_row)
    tl.store(out_ptr + (row + 4) * (BLOCK + 1) + at, x, mask=is_row & (at < columns))


@pytest.mark.parametrize("block", [16, 128, 256, 512])
@pytest.mark.parametrize("dtype", [torch.int8, torch.float32, torch.int64])
def test_a_mask_that_is_the_same_for_all_lanes(run: Run, dtype: torch.dtype, block: int) -> None:
    x = torch.arange(block).to(dtype)
    for rows in (0, 2, 3):
        for columns in (0, 1, block - 3, block):
            out = torch.full((8, block + 1), 7, dtype=dtype)
            expected = out.clone()
            expected[:rows, :block] = x
            expected[4 : 4 + rows, :columns] = x[:columns]
            run(rows_under_one_truth, (4,), x, out, rows, columns, BLOCK=block)
            assert torch.equal(out, expected)
