"""Tests of loops over scalars, which run in strips of 65536 iterations: bounds and carried values as in Python."""

from __future__ import annotations

import pytest
import torch

import blockdsl
import blockdsl.language as tl

WORD = 1 << 32


@blockdsl.jit
def mix(out, low, high, step):
    iterations = 0
    hashed = 7
    for i in range(low, high, step):
        iterations += 1
        hashed = hashed * 31 + i.to(tl.int32)
    tl.store(out, iterations)
    tl.store(out + 1, hashed)


def expected(low: int, high: int, step: int) -> list[int]:
    hashed = 7
    for i in range(low, high, step):
        hashed = (hashed * 31 + i) % WORD
    return [len(range(low, high, step)), hashed - WORD if hashed >= WORD // 2 else hashed]


BOUNDS = [
    (0, 0, 1),
    (5, 4, 1),
    (0, 1, 1),
    (0, 65535, 1),
    (0, 65536, 1),
    (0, 65537, 1),
    (3, 131075, 1),
    (-100_000, 100_000, 7),
    (0, 65536 * 3, 3),
    (0, 65536 * 3 + 1, 3),
    (2**31 - 70_000, 2**31 - 1, 1),
    (-(2**31), 2**31 - 50_000, 40_001),
    (-(2**31), -(2**31) + 70_000, 1),
    (2**40, 2**40 + 200_000, 3),
    (-(2**62), 2**62, 2**47),
    (0, 100, 2**31 - 101),
]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_bounds(bounds: tuple[int, int, int]) -> None:
    out = torch.zeros(2, dtype=torch.int32)
    mix[(1,)](out, *bounds)
    assert out.tolist() == expected(*bounds)


@blockdsl.jit
def nested(out, n, m):
    total = 0
    for i in range(n):
        for j in range(i % m):
            total += j
        for j in range(3):
            total = total * 3 + j
    tl.store(out, total)


@pytest.mark.parametrize(("n", "m"), [(0, 1), (100, 7), (70_000, 3), (3, 200_000)])
def test_nests(n: int, m: int) -> None:
    total = 0
    for i in range(n):
        total += sum(range(i % m))
        for j in range(3):
            total = (total * 3 + j) % WORD
    out = torch.zeros(1, dtype=torch.int32)
    nested[(1,)](out, n, m)
    assert int(out[0]) % WORD == total
