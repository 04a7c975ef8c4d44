"""Tests of random launches whose accesses may be wrong: the interpreter refuses each refused one, too."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import BlockdslError, LaunchError
from blockdsl.interpreted import InterpretedFunction


def line(out, a, b, c, n, low, B: tl.constexpr):
    lane = tl.arange(0, B)
    at = tl.program_id(0) * a + lane * b + c
    tl.store(out + at, 1.0, mask=(at < n) & (at >= low))


def tile(out, a, b, c, n, low, B: tl.constexpr):
    row, column = tl.arange(0, B)[:, None] + tl.program_id(0) * B, tl.arange(0, 4)[None, :] + tl.program_id(1)
    tl.store(out + row * a + column * b + c, 1.0, mask=(row < n) & (column != low))


def loop(out, a, b, c, n, low, B: tl.constexpr):
    lane = tl.arange(0, B)
    for k in range(low, n, 3):
        for j in range(0, k - low, 2):
            tl.store(out + k * a + j * b + lane + c, 1.0, mask=lane < n - k)


def carried(out, a, b, c, n, low, B: tl.constexpr):
    at = out + tl.arange(0, B) + c
    for k in range(n):
        if k * 2 < n + low:
            tl.store(at, 1.0)
        at += a
    tl.store(at - b, 1.0, mask=tl.arange(0, B) < n)


def divided(out, a, b, c, n, low, B: tl.constexpr):
    pid, parts = tl.program_id(0), tl.num_programs(0)
    lane = tl.arange(0, B)
    at = (pid // 2) * a + (pid % 2) * b + (pid * B + lane) % 11 + tl.minimum(c, parts)
    tl.store(out + at, 1.0, mask=(at < n) | (lane == low))


def wide(out, a, b, c, n, low, B: tl.constexpr):
    lane = tl.arange(0, B).to(tl.int64)
    at = tl.where(lane < low, lane * a, tl.program_id(1).to(tl.int64) * b - lane) + c
    if (n > 5) and (low < 3):
        tl.store(out + at, 1.0, mask=lane < n)
    else:
        tl.store(out + at, 1.0, mask=lane >= n)


KERNELS = [line, tile, loop, carried, divided, wide]


def fails(kind: type[BlockdslError], launch: Callable[..., object], *args: Any, **kwargs: Any) -> bool:
    try:
        launch(*args, **kwargs)
    except kind:
        return True
    return False


def alone(elements: int) -> torch.Tensor:
    """Zeros at the end of their storage, in memory that the kernels do not leave."""
    return torch.frombuffer(bytearray(4 * 4000), dtype=torch.float32, count=elements, offset=4 * 2000)


@pytest.mark.parametrize("function", KERNELS, ids=[each.__name__ for each in KERNELS])
def test_refused_accesses_are_out_of_bounds(function: Any) -> None:
    draw = random.Random(function.__name__)
    compiled, interpreted = blockdsl.jit(function), InterpretedFunction(function)
    refused = wrong = 0
    for _ in range(60):
        elements = draw.choice((1, 30, 100))
        numbers = [draw.randint(-9, 9) for _ in range(3)] + [draw.randint(-2, 12), draw.randint(-3, 5)]
        grid = (draw.randint(1, 3), draw.randint(1, 2))
        is_wrong = fails(BlockdslError, interpreted[grid], alone(elements), *numbers, B=8)
        is_refused = fails(LaunchError, compiled[grid], alone(elements), *numbers, B=8)
        assert is_wrong or not is_refused, f"{grid} {numbers} of {elements}"
        refused, wrong = refused + is_refused, wrong + is_wrong
    assert 5 < wrong < 60
    assert refused >= 0.9 * wrong, f"{refused} of {wrong} wrong launches are refused"
