"""Tests of kernels with two parameters for one tensor of a launch: loads and stores stay in order."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

N = 256


@blockdsl.jit
def scale_add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x, y = tl.load(x_ptr + at, mask=inside), tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, 2 * x + y, mask=inside)


def test_an_update_in_place(run: Run) -> None:
    for n in (1, 100, 1000):
        x, y = numbers(torch.float32, n), numbers(torch.float32, n, low=10, high=20)
        expected = 2 * x.double() + y.double(), 2 * x.double() + y.double(), 3 * x.double()
        first, second, both = x.clone(), y.clone(), x.clone()
        grid = (blockdsl.cdiv(n, N),)
        run(scale_add, grid, first, y, first, n, BLOCK=N)
        run(scale_add, grid, x, second, second, n, BLOCK=N)
        run(scale_add, grid, both, both, both, n, BLOCK=N)
        for actual, reference in zip((first, second, both), expected, strict=True):
            check(actual, reference)


@blockdsl.jit
def softmax_rows(out_ptr, x_ptr, stride, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(x_ptr + tl.program_id(0) * stride + at, mask=inside, other=-float("inf"))
    power = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr + tl.program_id(0) * stride + at, power / tl.sum(power, 0), mask=inside)


def test_softmax_in_place(run: Run) -> None:
    x = numbers(torch.float32, 5, 200)
    expected = x.double().softmax(1)
    run(softmax_rows, (5,), x, x, x.stride(0), 200, BLOCK=N)
    check(x, expected)


@blockdsl.jit
def move(x_ptr, out_ptr, distance: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at + distance))


@blockdsl.jit
def move_up(x_ptr, out_ptr, distance, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at + distance, tl.load(x_ptr + at))


def test_elements_move_within_a_tensor(run: Run) -> None:
    for distance in (0, 1, 3, 17, 100):
        x = numbers(torch.float32, N + 100)
        expected = torch.cat([x[distance : distance + N], x[N:]])
        run(move, (1,), x, x, distance=distance, BLOCK=N)
        assert torch.equal(x, expected), f"down by {distance}"
        expected = torch.cat([x[:distance], x[:N], x[distance + N :]])
        run(move_up, (1,), x, x, distance, BLOCK=N)
        assert torch.equal(x, expected), f"up by {distance}"


@blockdsl.jit
def reverse(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + BLOCK - 1 - at))


def test_a_tensor_is_reversed_in_place(run: Run) -> None:
    x = numbers(torch.int32, N)
    expected = x.flip(0)
    run(reverse, (1,), x, x, BLOCK=N)
    assert torch.equal(x, expected)


@blockdsl.jit
def transpose(x_ptr, out_ptr, SIZE: tl.constexpr):
    rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    tl.store(out_ptr + columns * SIZE + rows, tl.load(x_ptr + rows * SIZE + columns))


def test_a_matrix_is_transposed_in_place(run: Run) -> None:
    x = numbers(torch.float32, 32, 32)
    expected = x.T.clone()
    run(transpose, (1,), x, x, SIZE=32)
    assert torch.equal(x, expected)


@blockdsl.jit
def turn(x_ptr, out_ptr, SIZE: tl.constexpr):
    """Each element is stored where another one was loaded, through the same block of pointers."""
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    tl.store(out_ptr + at, tl.trans(tl.load(x_ptr + at)))


@blockdsl.jit
def swap_halves(x_ptr, out_ptr, SIZE: tl.constexpr):
    at = tl.arange(0, 2)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    low, high = tl.split(tl.trans(tl.load(x_ptr + at)))
    tl.store(out_ptr + at, tl.trans(tl.join(high, low)))


def test_elements_change_places_in_place(run: Run) -> None:
    x = numbers(torch.float32, 32, 32)
    expected = x.T.clone()
    run(turn, (1,), x, x, SIZE=32)
    assert torch.equal(x, expected)
    x = numbers(torch.float32, 2, 64)
    expected = x.flip(0)
    run(swap_halves, (1,), x, x, SIZE=64)
    assert torch.equal(x, expected)


@blockdsl.jit
def store_then_load(x_ptr, out_ptr, seen_ptr, BLOCK: tl.constexpr):
    """A load through one parameter after a store through the other returns the stored value."""
    at = tl.arange(0, BLOCK)
    before = tl.load(x_ptr + at)
    tl.store(out_ptr + at, before * 2)
    tl.store(seen_ptr + at, tl.load(x_ptr + BLOCK - 1 - at) - before)


@pytest.mark.cpu_only
def test_load_after_store_reads_stored_value(run: Run) -> None:
    x, seen = numbers(torch.float32, N), torch.zeros(N)
    before = x.clone()
    run(store_then_load, (1,), x, x, seen, BLOCK=N)
    assert torch.equal(x, before * 2)
    check(seen, (before * 2).flip(0) - before)


@blockdsl.jit
def add_one_modulo(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK) % 4
    tl.store(out_ptr + at, tl.load(x_ptr + at) + 1)


@blockdsl.jit
def add_one_at(x_ptr, out_ptr, index_ptr, BLOCK: tl.constexpr):
    at = tl.load(index_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr + at, tl.load(x_ptr + at) + 1)


@blockdsl.jit
def add_one_to_row(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, 8)[:, None] * 0 + tl.arange(0, BLOCK)[None, :]
    tl.store(out_ptr + at, tl.load(x_ptr + at) + 1)


def test_blocks_are_loaded_before_they_are_stored(run: Run) -> None:
    x = torch.zeros(N)
    run(add_one_modulo, (1,), x, x, BLOCK=N)
    assert x.tolist() == [1.0] * 4 + [0.0] * (N - 4)
    x = torch.zeros(N)
    run(add_one_at, (1,), x, x, torch.arange(N, dtype=torch.int32) // 32, BLOCK=N)
    assert x.tolist() == [1.0] * 8 + [0.0] * (N - 8)
    x = torch.zeros(N)
    run(add_one_to_row, (1,), x, x, BLOCK=N)
    assert x.tolist() == [1.0] * N
