"""Tests of program ids, loops and control flow on scalars, compiled and interpreted."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

SCALE = tl.constexpr(3)


@blockdsl.jit
def ids(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny = tl.num_programs(0), tl.num_programs(1)
    tl.store(out_ptr + (z * ny + y) * nx + x, x + 10 * y + 100 * z + 1000 * tl.num_programs(2))


def test_program_ids(run: Run) -> None:
    out = torch.zeros(2, 3, 4, dtype=torch.int32)
    run(ids, (4, 3, 2), out)
    expected = [[[x + 10 * y + 100 * z + 2000 for x in range(4)] for y in range(3)] for z in range(2)]
    assert out.tolist() == expected


@blockdsl.jit
def loops(out_ptr, n, UNROLL: tl.constexpr):
    total = 0
    for i in range(n):
        total += i
    for i in range(n, 0, -2):
        total += i * 100
    for i in tl.range(1, n, 2, num_stages=2):
        total += i * 10000
    for i in tl.static_range(UNROLL):
        total += i
    left = n
    while left > 0:
        total += 1
        left -= 1
    tl.store(out_ptr, total)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_loops(run: Run, n: int) -> None:
    out = torch.zeros(1, dtype=torch.int32)
    run(loops, (1,), out, n, UNROLL=4)
    expected = sum(range(n)) + 100 * sum(range(n, 0, -2)) + 10000 * sum(range(1, n, 2)) + 6 + n
    assert out.item() == expected


@blockdsl.jit
def branches(out_ptr, n):
    if n > 5:
        value = n * 2
        kind = 1
    elif n > 2:
        value = n + 1
        kind = 2
    else:
        value = -n
        kind = 3
    chosen = value if n % 2 == 0 else kind
    tl.store(out_ptr, value)
    tl.store(out_ptr + 1, kind)
    tl.store(out_ptr + 2, chosen)
    if n == 4:
        tl.store(out_ptr + 3, 44)


@pytest.mark.parametrize("n", [1, 3, 4, 9])
def test_branches(run: Run, n: int) -> None:
    out = torch.zeros(4, dtype=torch.int32)
    run(branches, (1,), out, n)
    value, kind = (n * 2, 1) if n > 5 else (n + 1, 2) if n > 2 else (-n, 3)
    assert out.tolist() == [value, kind, value if n % 2 == 0 else kind, 44 if n == 4 else 0]


@blockdsl.jit
def early(out_ptr, n):
    at = tl.program_id(0)
    if at >= n:
        return
    tl.store(out_ptr + at, at + 1)
    if at == 1:
        tl.store(out_ptr + at, 77)
        return
    tl.store(out_ptr + at, at + 100)


def test_early_returns(run: Run) -> None:
    out = torch.zeros(6, dtype=torch.int32)
    run(early, (6,), out, 4)
    assert out.tolist() == [100, 77, 102, 103, 0, 0]


@blockdsl.jit
def halved(x, factor=2, *, shift: tl.constexpr = 0):
    return x // factor + shift, x % factor


@blockdsl.jit
def clipped(x, low, high):
    if x < low:
        return low
    return tl.minimum(x, high)


@blockdsl.jit
def calls(out_ptr, n):
    quotient, rest = halved(n)
    tl.store(out_ptr, quotient)
    tl.store(out_ptr + 1, rest)
    tl.store(out_ptr + 2, halved(n, factor=3, shift=SCALE)[0])
    tl.store(out_ptr + 3, clipped(n, 2, 6))


@pytest.mark.parametrize("n", [1, 5, 11])
def test_calls_of_jit_functions(run: Run, n: int) -> None:
    out = torch.zeros(4, dtype=torch.int32)
    run(calls, (1,), out, n)
    assert out.tolist() == [n // 2, n % 2, n // 3 + 3, min(max(n, 2), 6)]


@blockdsl.jit
def nested(out_ptr, rows, columns, N: tl.constexpr):
    acc = tl.zeros((N,), tl.float32)
    count = 0
    for i in range(rows):
        partial = tl.zeros((N,), tl.float32)
        for j in range(columns):
            if (i + j) % 2 == 0:
                partial += j
                count += 1
        acc += partial * i
    tl.store(out_ptr + tl.arange(0, N), acc + count)


def test_nested_loops_carry_blocks(run: Run) -> None:
    out = torch.zeros(4)
    run(nested, (1,), out, 3, 5, N=4)
    pairs = [(i, j) for i in range(3) for j in range(5) if (i + j) % 2 == 0]
    assert out.tolist() == [float(sum(i * j for i, j in pairs) + len(pairs))] * 4


@blockdsl.jit
def every_so_many(out_ptr, n):
    for at in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(out_ptr + at, at + 10 * tl.program_id(0))


def test_step_known_at_launch_only(run: Run) -> None:
    """The loop of persistent kernels: a program processes every n-th piece of work, with n programs."""
    for n, programs in ((10, 3), (2, 4), (0, 2), (7, 1)):
        out = torch.full((max(n, 1),), -1, dtype=torch.int32)
        run(every_so_many, (programs,), out, n)
        assert out[:n].tolist() == [at + 10 * (at % programs) for at in range(n)]


@blockdsl.jit
def compile_time(out_ptr, FLAG: tl.constexpr, ITEMS: tl.constexpr, MAYBE: tl.constexpr):
    tl.static_assert(len(ITEMS) == 3, f"three items, got {len(ITEMS)}")
    doubled = [item * 2 for item in ITEMS]
    total: tl.constexpr = doubled[0] + doubled[-1]
    if FLAG:
        tl.store(out_ptr, total)
    if MAYBE is None:
        tl.store(out_ptr + 1, max(ITEMS[0], 5) + SCALE)
    for item in (1, 2):
        tl.store(out_ptr + 1 + item, (n := item * 10) + n)


def test_compile_time_values(run: Run) -> None:
    out = torch.zeros(4, dtype=torch.int32)
    run(compile_time, (1,), out, FLAG=True, ITEMS=(1, 2, 3), MAYBE=None)
    assert out.tolist() == [8, 8, 20, 40]


def closure_kernel(step: int) -> blockdsl.JITFunction:
    width = tl.constexpr(step)

    @blockdsl.jit
    def kernel(out_ptr):
        tl.store(out_ptr, width + 1)

    return kernel


@pytest.mark.parametrize("step", [4, 9])
def test_closures(run: Run, step: int) -> None:
    out = torch.zeros(1, dtype=torch.int32)
    run(closure_kernel(step), (1,), out)
    assert out.item() == step + 1
