"""Kernels that repeat a step N times, for compile_curve.py. ``x`` has one block, ``y`` one block per step."""

from __future__ import annotations

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def stores(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for i in tl.static_range(N):
        tl.store(y + i * BLOCK + o, v + i)


@blockdsl.jit
def stores_to_one_place(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for i in tl.static_range(N):
        tl.store(y + o, v + i)


@blockdsl.jit
def arithmetic(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for _ in tl.static_range(N):
        v = v * 0.5 + 1.0
    tl.store(y + o, v)


@blockdsl.jit
def stored_arithmetic(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for i in tl.static_range(N):
        v = v * 0.5 + 1.0
        tl.store(y + i * BLOCK + o, v)


@blockdsl.jit
def stored_indices(_x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = o
    for i in tl.static_range(N):
        v = (v * 5 + i) ^ (v >> 3)
        tl.store(y + i * BLOCK + o, v)


@blockdsl.jit
def scans(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for _ in tl.static_range(N):
        v = tl.cumsum(v, 0) * 0.01
    tl.store(y + o, v)


@blockdsl.jit
def flips(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for _ in tl.static_range(N):
        v = tl.flip(v) * 0.5 + 1.0
    tl.store(y + o, v)


@blockdsl.jit
def exchanges(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    """Steps of an unrolled sorting network, on more than a vector."""
    o = tl.arange(0, 16 * BLOCK)
    v = tl.load(x + o % BLOCK)
    for i in tl.static_range(N):
        other = tl.gather(v, o ^ (1 << i % 10), 0)
        v = tl.where((v > other) != ((o >> i % 10) & 1 == 1), other, v)
    tl.store(y + o, v, mask=o < BLOCK)
