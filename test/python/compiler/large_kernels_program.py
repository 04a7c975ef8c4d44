"""Run by test_large_kernels.py: one large kernel, on a thread with a given stack, against NumPy.

    python large_kernels_program.py KERNEL SIZE KIB

It prints ``right`` or the difference. It is a program of its own because a failure ends the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import numpy as np

import blockdsl
import blockdsl.language as tl
from benchmarks import long_kernels

Array = np.ndarray
B = 64


def expect_chained(x: Array, n: int) -> Array:
    v = x[:B]
    for _ in range(n):
        v = v * np.float32(0.5) + np.float32(1.0)
    return v


def expect_stored(x: Array, n: int) -> Array:
    return np.concatenate([x[:B] + np.float32(i) for i in range(n)])


def expect_stored_over(x: Array, n: int) -> Array:
    return x[:B] + np.float32(n - 1)


@blockdsl.jit
def summed(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for _ in tl.static_range(N):
        v = v - tl.sum(v, 0) * (1.0 / BLOCK)
        v = tl.where(v > 0.0, tl.cumsum(v, 0), v) * 0.25
    tl.store(y + o, v)


def expect_summed(x: Array, n: int) -> Array:
    v = x[:B].astype(np.float64)
    for _ in range(n):
        v = v - v.sum() / B
        v = np.where(v > 0, np.cumsum(v), v) * 0.25
    return v.astype(np.float32)


@blockdsl.jit
def branched(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    s = tl.load(x)
    for i in tl.static_range(N):
        if s * i < 0.5:
            v = v + 1.0
    tl.store(y + o, v)


def expect_branched(x: Array, n: int) -> Array:
    return x[:B] + np.float32(sum(1 for i in range(n) if x[0] * np.float32(i) < 0.5))


@blockdsl.jit
def hashed(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = o + tl.program_id(0)
    for i in tl.static_range(N):
        v = (v * 5 + i) ^ (v >> 3)
        tl.store(y + i * BLOCK + o, v % 1000)


def expect_hashed(x: Array, n: int) -> Array:
    v = np.arange(B, dtype=np.int32)
    blocks = []
    for i in range(n):
        v = (v * np.int32(5) + np.int32(i)) ^ (v >> 3)
        blocks.append(np.fmod(v, np.int32(1000)))
    return np.concatenate(blocks).astype(np.float32)


LARGE = 16384


@blockdsl.jit
def flipped(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    t = tl.zeros([BLOCK], tl.float32)
    for i in tl.static_range(N):
        t = t * 0.5 + tl.flip(tl.cumsum(tl.load(x + i * BLOCK + o) * 0.01, 0))
    tl.store(y + o, t)


def expect_flipped(x: Array, n: int) -> Array:
    t = np.zeros(LARGE)
    for i in range(n):
        t = t * 0.5 + np.cumsum(x[i * LARGE : (i + 1) * LARGE] * 0.01, dtype=np.float64)[::-1]
    return t.astype(np.float32)


@blockdsl.jit
def alive(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    blocks = ()
    total = 0.0
    for i in tl.static_range(N):
        v = tl.softmax(tl.load(x + i + o))
        blocks = (*blocks, v)
        total += tl.sum(v * v, 0)
    t = blocks[0] * total
    for i in tl.static_range(N):
        t = t * 0.5 + blocks[N - 1 - i]
    tl.store(y + o, t)


def expect_alive(x: Array, n: int) -> Array:
    powers = [np.exp(x[i : i + LARGE].astype(np.float64)) for i in range(n)]
    blocks = [power / power.sum() for power in powers]
    t = blocks[0] * sum((block * block).sum() for block in blocks)
    for block in reversed(blocks):
        t = t * 0.5 + block
    return t.astype(np.float32)


KERNELS: dict[str, tuple[object, Callable[[Array, int], Array], int]] = {
    # Kernel, reference, block.
    "chained": (long_kernels.arithmetic, expect_chained, B),
    "stored": (long_kernels.stores, expect_stored, B),
    "stored_over": (long_kernels.stores_to_one_place, expect_stored_over, B),
    "hashed": (hashed, expect_hashed, B),
    "summed": (summed, expect_summed, B),
    "branched": (branched, expect_branched, B),
    "flipped": (flipped, expect_flipped, LARGE),
    "alive": (alive, expect_alive, LARGE),
}


def run(name: str, size: int) -> None:
    kernel, expect, block = KERNELS[name]
    x = np.random.default_rng(0).standard_normal((size + 1) * block, dtype=np.float32)
    expected = expect(x, size)
    y = np.zeros_like(expected)
    compiled = kernel[(1,)](x, y, BLOCK=block, N=size)  # type: ignore[index]
    assert compiled.stack_bytes <= 256 << 10, compiled.stack_bytes
    difference = float(np.max(np.abs(y - expected) / (1 + np.abs(expected))))
    print("right" if difference < 1e-4 else f"wrong by {difference}")


def main() -> None:
    name, size, kib = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    threading.stack_size(kib << 10)
    thread = threading.Thread(target=run, args=(name, size))
    thread.start()
    thread.join()


main()
