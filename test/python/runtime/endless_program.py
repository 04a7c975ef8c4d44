"""Run by test_interruption.py: programs that never end by themselves, or take minutes, are interrupted; launches after
that are right."""

from __future__ import annotations

import signal
import sys
import time

import torch

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def spin(flag, out):
    turns = 0
    while tl.load(flag, volatile=True) != 0:
        turns += 1
    # Only programs whose loop has ended by itself come here.
    tl.store(out + tl.program_id(0), turns + 1)


@blockdsl.jit
def accumulate(x, out, turns):
    at = tl.arange(0, 256)
    total = tl.zeros((256,), tl.float32)
    for i in range(turns):
        total += tl.load(x + (at + i) % 256)
    tl.store(out + at, total)


@blockdsl.jit
def last_spins(flag, out):
    if tl.program_id(0) + 1 == tl.num_programs(0):
        while tl.load(flag, volatile=True) != 0:
            pass
    tl.store(out + tl.program_id(0), 1)


def launches(case: str, turns: int) -> None:
    flag, out, x = torch.full((1,), turns, dtype=torch.int32), torch.zeros(64, dtype=torch.int32), torch.ones(256)
    if case in ("while", "small"):
        # Once it is known to be small, it is launched without giving up the interpreter.
        spin[(1,)](flag, out)
    elif case == "threads":
        spin[(64,)](flag, out)
        assert turns or out.tolist() == [1] * 64
    elif case == "last":
        last_spins[(64,)](flag, out)
        assert turns or out.tolist() == [1] * 64
    else:
        result = torch.zeros(256)
        accumulate[(1,)](x, result, 2**31 - 1 if turns else 5)
        if not turns:
            assert result.tolist() == [5.0] * 256
    if turns:
        raise AssertionError(f"{case} ended: {out.tolist()}")


def handler(number: int, frame: object) -> None:
    """Launches from within, as a handler may."""
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
