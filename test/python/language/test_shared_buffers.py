"""Tests of blocks that together exceed the stack: those with disjoint live ranges share memory.

Each block has 64 KiB, of integers that wrap. Some are in loops and branches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

N = 16384


def data(seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).integers(-(2**31), 2**31, N, dtype=np.int32))


def total(x: Any) -> Any:
    return np.cumsum(x, dtype=np.int32)


@blockdsl.jit
def one_after_the_other(x, out, N: tl.constexpr):
    o = tl.arange(0, N)
    first = tl.cumsum(tl.load(x + o), 0)
    second = tl.cumsum(tl.gather(first, o * 7 % N, 0), 0)
    third = tl.cumsum(tl.gather(second, o * 5 % N, 0), 0)
    fourth = tl.cumsum(tl.gather(third, o * 3 % N, 0), 0)
    tl.store(out + o, tl.gather(fourth, N - 1 - o, 0))


@blockdsl.jit
def across_turns(x, out, iterations, N: tl.constexpr):
    """``kept`` is last read before other blocks are computed in the iteration, and read again in the next one."""
    o = tl.arange(0, N)
    kept = tl.cumsum(tl.load(x + o), 0)
    carried = tl.load(x + N + o)
    for i in range(iterations):
        mixed = tl.cumsum(carried ^ tl.gather(kept, o * 7 % N, 0), 0)
        again = tl.cumsum(tl.gather(mixed, o * 5 % N, 0) + i, 0)
        third = tl.cumsum(tl.gather(again, o * 3 % N, 0) ^ i, 0)
        carried = tl.gather(third, N - 1 - o, 0)
    tl.store(out + o, carried)


@blockdsl.jit
def in_branches(x, out, iterations, N: tl.constexpr):
    o = tl.arange(0, N)
    kept = tl.cumsum(tl.load(x + o), 0)
    carried = tl.load(x + N + o)
    for i in range(iterations):
        before = tl.cumsum(carried, 0)
        if i % 2 == 0:
            one = tl.cumsum(tl.gather(before, o * 7 % N, 0), 0)
            two = tl.cumsum(tl.gather(one, o * 5 % N, 0), 0)
            result = tl.gather(two, o * 3 % N, 0) ^ tl.gather(kept, N - 1 - o, 0)
        else:
            other = tl.cumsum(tl.gather(before, o * 11 % N, 0) ^ kept, 0)
            result = tl.gather(other, o * 3 % N, 0)
        carried = result + tl.gather(before, N - 1 - o, 0)
    tl.store(out + o, carried)


@blockdsl.jit
def in_loops_of_loops(x, out, iterations, N: tl.constexpr):
    o = tl.arange(0, N)
    carried = tl.load(x + o)
    left = iterations
    while left > 0:
        kept = tl.cumsum(carried, 0)
        for i in range(left):
            one = tl.cumsum(carried ^ tl.gather(kept, o * 7 % N, 0), 0)
            two = tl.cumsum(tl.gather(one, o * 5 % N, 0), 0)
            carried = tl.gather(two, o * 3 % N, 0) + i
        carried = carried ^ tl.gather(kept, N - 1 - o, 0)
        left -= 1
    tl.store(out + o, carried)


O = np.arange(N)  # noqa: E741


def expect_one_after_the_other(x: Any, iterations: int) -> Any:
    return total(total(total(total(x[:N])[O * 7 % N])[O * 5 % N])[O * 3 % N])[::-1]


def expect_across_turns(x: Any, iterations: int) -> Any:
    kept, carried = total(x[:N]), x[N:]
    for i in range(iterations):
        again = total(total(carried ^ kept[O * 7 % N])[O * 5 % N] + np.int32(i))
        carried = total(again[O * 3 % N] ^ np.int32(i))[::-1]
    return carried


def expect_in_branches(x: Any, iterations: int) -> Any:
    kept, carried = total(x[:N]), x[N:]
    for i in range(iterations):
        before = total(carried)
        if i % 2 == 0:
            result = total(total(before[O * 7 % N])[O * 5 % N])[O * 3 % N] ^ kept[::-1]
        else:
            result = total(before[O * 11 % N] ^ kept)[O * 3 % N]
        carried = result + before[::-1]
    return carried


def expect_in_loops_of_loops(x: Any, iterations: int) -> Any:
    carried = x[:N]
    for left in range(iterations, 0, -1):
        kept = total(carried)
        for i in range(left):
            carried = total(total(carried ^ kept[O * 7 % N])[O * 5 % N])[O * 3 % N] + np.int32(i)
        carried = carried ^ kept[::-1]
    return carried


CASES = [
    (one_after_the_other, expect_one_after_the_other, ()),
    (across_turns, expect_across_turns, (3,)),
    (in_branches, expect_in_branches, (4,)),
    (in_loops_of_loops, expect_in_loops_of_loops, (3,)),
]


@pytest.mark.parametrize(("kernel", "expect", "iterations"), CASES)
def test_values(run: Run, kernel: Any, expect: Any, iterations: tuple[int, ...]) -> None:
    x = torch.cat([data(1), data(2)])
    out = torch.zeros(N, dtype=torch.int32)
    run(kernel, (1,), x, out, *iterations, N=N)
    with np.errstate(over="ignore"):
        expected = expect(x.numpy(), *(iterations or (0,)))
    assert np.array_equal(out.numpy(), expected)


@pytest.mark.parametrize(("kernel", "limit"), [(one_after_the_other, 3), (across_turns, 5), (in_branches, 6)])
def test_memory_is_shared(kernel: Any, limit: int) -> None:
    """The number of blocks that are live at the same time; each kernel has more."""
    x = torch.cat([data(1), data(2)])
    iterations = () if kernel is one_after_the_other else (1,)
    compiled = kernel[(1,)](x, torch.zeros(N, dtype=torch.int32), *iterations, N=N)
    assert compiled.stack_bytes + compiled.scratch_bytes < limit * 4 * N + 4096
