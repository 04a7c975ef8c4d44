"""Kernels for tests of everything from source to a launch."""

from __future__ import annotations

import blockdsl
import blockdsl.language as tl

SCALE = tl.constexpr(3.0)


@blockdsl.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr = 128):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, total, mask=mask)


@blockdsl.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * SCALE, mask=mask)


@blockdsl.jit
def shift(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Stores the neighbor of each element: all loads precede the stores, even if the two pointers overlap."""
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + offsets, x, mask=offsets < n)


@blockdsl.jit
def checked(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.device_assert(x < 100, "x is below 100")


@blockdsl.jit
def saying(x_ptr, TEXT: tl.constexpr):
    tl.device_assert(tl.load(x_ptr) > 0, TEXT)


@blockdsl.jit
def scalars(out_ptr, i, f, d: tl.float64, h: tl.float16, w: tl.int64, b):
    tl.store(out_ptr + 0, i.to(tl.float64))
    tl.store(out_ptr + 1, f.to(tl.float64))
    tl.store(out_ptr + 2, d)
    tl.store(out_ptr + 3, h.to(tl.float64))
    tl.store(out_ptr + 4, w.to(tl.float64))
    tl.store(out_ptr + 5, b.to(tl.float64))
    tl.store(out_ptr + 6, tl.program_id(2).to(tl.float64))
    tl.store(out_ptr + 7, tl.num_programs(1).to(tl.float64))


@blockdsl.jit
def talking(x_ptr, half, BLOCK: tl.constexpr):
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, BLOCK)))
    tl.device_print("half", half)


def made() -> blockdsl.JITFunction:
    """Returns a kernel that is not compiled yet: a new function at each call."""

    @blockdsl.jit
    def raised(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n)
        tl.store(o_ptr + at, x + 1.5, mask=at < n)

    return raised
