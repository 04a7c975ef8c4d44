"""Run by test_interruption.py: programs that run for minutes or forever are interrupted; later launches are right."""

from __future__ import annotations

import signal
import sys
import time

import torch

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def spin(flag, out):
    iterations = 0
    while tl.load(flag, volatile=True) != 0:
        iterations += 1
    # Only programs whose loop has ended normally reach this.
    tl.store(out + tl.program_id(0), iterations + 1)


@blockdsl.jit
def wait_for_all(flag, out):
    tl.atomic_add(flag, 1)
    while tl.atomic_load(flag) != 0:
        pass
    tl.store(out + tl.program_id(0), 1)


@blockdsl.jit
def accumulate(x, out, iterations):
    at = tl.arange(0, 256)
    total = tl.zeros((256,), tl.float32)
    for i in range(iterations):
        total += tl.load(x + (at + i) % 256)
    tl.store(out + at, total)


@blockdsl.jit
def last_spins(flag, out):
    if tl.program_id(0) + 1 == tl.num_programs(0):
        while tl.load(flag, volatile=True) != 0:
            pass
    tl.store(out + tl.program_id(0), 1)


@blockdsl.jit
def add_up(out, iterations, step):
    total = 0.0
    for _ in range(0, iterations, step):
        total += 1.0
    tl.store(out, total)


@blockdsl.jit
def add_up_nested(out, iterations, inner):
    total = 0.0
    for i in range(iterations):
        for _ in range(i % inner):
            total += 1.0
        for _ in range(4):
            total += 1.0
    tl.store(out, total)


@blockdsl.jit
def one_more(total, iterations):
    for _ in range(iterations):
        total += 1.0
    return total


@blockdsl.jit
def add_up_in_a_call(out, iterations):
    total = 0.0
    tl.store(out, one_more(total, iterations))


@blockdsl.jit
def halve(x, iterations):
    for _ in range(iterations):
        x = x * 0.5 + 1.0
    return x


@blockdsl.jit
def halve_while(x, iterations):
    while iterations > 0:
        x = x * 0.5 + 1.0
        iterations = iterations - 1
    return x


@blockdsl.jit
def halve_each(out, iterations, function: tl.constexpr):
    at = tl.arange(0, 4)
    tl.store(out + at, tl.map_elementwise(function, tl.load(out + at), tl.full((4,), iterations, tl.int64)))


def scalars(case: str, iterations: int) -> None:
    """Runs loops without blocks; few iterations if `turns` is 0."""
    out, many = torch.zeros(4), 2**62 if iterations else 70_000
    if case == "scalar for":
        add_up[(1,)](out, many, 1)
    elif case == "scalar steps":
        add_up[(1,)](out, many, 3)
    elif case == "nested":
        add_up_nested[(1,)](out, 2**62 if iterations else 70, 50)
    elif case == "called":
        add_up_in_a_call[(1,)](out, many)
    else:
        halve_each[(1,)](out, many, halve if case == "lanes" else halve_while)
    expected = {"scalar steps": 23334.0, "nested": 1695.0, "lanes": 2.0, "lanes while": 2.0}
    assert not iterations, f"{case} ended: {out.tolist()}"
    assert out[0].item() == expected.get(case, 70000.0)


SCALARS = ("scalar for", "scalar steps", "nested", "called", "lanes", "lanes while")


def launches(case: str, iterations: int) -> None:
    if case in SCALARS:
        scalars(case, iterations)
        return
    flag, out, x = torch.full((1,), iterations, dtype=torch.int32), torch.zeros(64, dtype=torch.int32), torch.ones(256)
    if case in ("while", "small"):
        # Once the kernel is known to be short, it is launched without releasing the GIL.
        spin[(1,)](flag, out)
    elif case == "threads":
        spin[(64,)](flag, out)
        assert iterations or out.tolist() == [1] * 64
    elif case == "waiting":
        # In sequence none would wait; all of them wait for a flag that is never set.
        wait_for_all[(16 if iterations else 0,)](flag, out)
    elif case == "last":
        last_spins[(64,)](flag, out)
        assert iterations or out.tolist() == [1] * 64
    else:
        result = torch.zeros(256)
        accumulate[(1,)](x, result, 2**31 - 1 if iterations else 5)
        if not iterations:
            assert result.tolist() == [5.0] * 256
    if iterations:
        raise AssertionError(f"{case} ended: {out.tolist()}")


def handler(number: int, frame: object) -> None:
    """A launch inside of a launch, as in a signal handler."""
    x = torch.ones(256)
    result = torch.zeros(256)
    accumulate[(1,)](x, result, 5)
    assert result.tolist() == [5.0] * 256
    raise KeyboardInterrupt


def main(case: str) -> None:
    signal.signal(signal.SIGINT, handler)
    for _ in range(20 if case == "small" else 0):
        launches(case, 0)
    accumulate[(1,)](torch.ones(256), torch.zeros(256), 5)
    for _ in range(2):
        print("launching", flush=True)
        try:
            launches(case, 100)
        except KeyboardInterrupt:
            print("interrupted", time.time(), flush=True)
    launches(case, 0)
    print("right afterwards", flush=True)


main(sys.argv[1])
