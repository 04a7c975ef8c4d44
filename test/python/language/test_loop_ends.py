"""Tests of trip counts: loops have the iterations of Python's range, even if the value after the last one wraps."""

from __future__ import annotations

import functools
import operator
from typing import Any

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

LOW, HIGH = -(2**31), 2**31 - 1
BOUNDS = [
    (HIGH - 10, HIGH, 4),
    (HIGH - 8, HIGH, 4),
    (0, HIGH, 2**30),
    (5, HIGH, HIGH),
    (LOW, HIGH, 2**30 + 7),
    (LOW, LOW + 3, 2),
    (-5, HIGH, HIGH),
    (HIGH, LOW, 3),
    (7, 7, 2),
    (9, -9, 2),
    (-9, 9, 2),
]


def ending(cases: list[tuple[int, int, int]], width: int = 32) -> list[Any]:
    """Drops loops for GPUs whose counter exceeds its type after the last iteration: Triton's do not end then.

    With a negative step it counts upwards, too, from the bound that is never reached.
    """

    def is_beyond(iterations: range) -> bool:
        if iterations.step < 0:
            iterations = range(iterations.stop, iterations.start, -iterations.step)
        return bool(iterations) and not -(1 << width - 1) <= iterations[-1] + iterations.step < 1 << width - 1

    return [pytest.param(*case, marks=[pytest.mark.cpu_only] * is_beyond(range(*case))) for case in cases]


@blockdsl.jit
def turns(out_ptr, low, high, step):
    count = 0
    total = (low ^ high ^ step) * 0
    for i in range(low, high, step):
        count += 1
        total = total ^ i
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, total)


@blockdsl.jit
def turns_of_constants(out_ptr, LOW: tl.constexpr, HIGH: tl.constexpr, STEP: tl.constexpr):
    count = 0
    total = 0
    for i in range(LOW, HIGH, STEP):
        count += 1
        total = total ^ i
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, total)


@blockdsl.jit
def turns_from_zero(out_ptr, high, STEP: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    numbers = tl.zeros([N], tl.int64)
    for i in range(0, high, STEP):
        numbers = numbers * 3 + (i + at).to(tl.int64)
    tl.store(out_ptr + at, numbers)


@blockdsl.jit
def turns_of_blocks(out_ptr, low, high, step, N: tl.constexpr):
    at = tl.arange(0, N)
    numbers = tl.zeros([N], tl.int64)
    for i in range(low, high, step):
        numbers = numbers * 3 + (i + at).to(tl.int64)
    tl.store(out_ptr + at, numbers)


@blockdsl.jit
def with_turns(x):
    count = x
    for i in range(2147483637, 2147483647, 4):
        count += i % 5
    return count


@blockdsl.jit
def toggled_in_turns(a, b):
    total = a
    for _ in range(2147483637, 2147483647, 4):
        total = total ^ b
    return total


@blockdsl.jit
def turns_in_functions(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.map_elementwise(with_turns, x))
    tl.store(out_ptr + N + at, tl.reduce(x, 0, toggled_in_turns))


def expected_of(numbers: range) -> list[int]:
    total = 0
    for number in numbers:
        total ^= number
    return [len(numbers), total]


@pytest.mark.parametrize(("low", "high", "step"), ending(BOUNDS))
def test_iterations(run: Run, low: int, high: int, step: int) -> None:
    for kernel, names in ((turns, ("low", "high", "step")), (turns_of_constants, ("LOW", "HIGH", "STEP"))):
        out = torch.zeros(2, dtype=torch.int32)
        run(kernel, (1,), out, **dict(zip(names, (low, high, step), strict=True)))
        assert out.tolist() == expected_of(range(low, high, step))


def as_64_bits(number: int) -> int:
    return number << 32 | (0xFFFFFFFF if number == HIGH else 0)


@pytest.mark.parametrize(("low", "high", "step"), ending([tuple(map(as_64_bits, each)) for each in BOUNDS], width=64))
def test_iterations_of_64_bits(run: Run, low: int, high: int, step: int) -> None:
    out = torch.zeros(2, dtype=torch.int64)
    run(turns, (1,), out, low, high, step)
    assert out.tolist() == expected_of(range(low, high, step))


@pytest.mark.parametrize(("low", "high", "step"), ending([(high, low, -step) for low, high, step in BOUNDS]))
def test_downwards(run: Run, low: int, high: int, step: int) -> None:
    out = torch.zeros(2, dtype=torch.int32)
    run(turns_of_constants, (1,), out, LOW=low, HIGH=high, STEP=step)
    assert out.tolist() == expected_of(range(low, high, step))


@pytest.mark.parametrize(("low", "high", "step"), ending(BOUNDS))
def test_iterations_of_blocks(run: Run, low: int, high: int, step: int) -> None:
    expected = torch.zeros(16, dtype=torch.int64)
    for number in range(low, high, step):
        expected = expected * 3 + (number + torch.arange(16, dtype=torch.int32)).long()
    out = torch.zeros(16, dtype=torch.int64)
    run(turns_of_blocks, (1,), out, low, high, step, N=16)
    assert torch.equal(out, expected)
    if low == 0:
        run(turns_from_zero, (1,), out, high, STEP=step, N=16)
        assert torch.equal(out, expected)


@pytest.mark.cpu_only
@pytest.mark.parametrize("step", [0, -1, -3])
def test_non_positive_runtime_step_gives_no_iterations(run: Run, step: int) -> None:
    for low, high in ((0, 10), (10, 0), (LOW, HIGH)):
        out = torch.ones(2, dtype=torch.int32)
        run(turns, (1,), out, low, high, step)
        assert out.tolist() == [0, 0]


@pytest.mark.cpu_only
def test_loops_in_functions(run: Run) -> None:
    x, out = torch.arange(16, dtype=torch.int32), torch.zeros(32, dtype=torch.int32)
    run(turns_in_functions, (1,), x, out, N=16)
    iterations = range(2147483637, 2147483647, 4)
    assert out[:16].tolist() == [i + sum(iteration % 5 for iteration in iterations) for i in range(16)]
    assert len(iterations) == 3
    assert out[16].item() == functools.reduce(operator.xor, x.tolist())


@blockdsl.jit
def to_what_assembly_gives(out_ptr, n):
    iterations = 0
    for _ in range(-(2**31), tl.inline_asm_elementwise("and.b32 $0, $1, 0;", "=r,r", [n], tl.int32, True, 1), 2**30):
        iterations += 1
    tl.store(out_ptr, iterations)


@pytest.mark.cpu_only
def test_bound_computed_by_assembly(run: Run) -> None:
    out = torch.zeros(1, dtype=torch.int32)
    run(to_what_assembly_gives, (1,), out, 5)
    assert out.item() == 2
