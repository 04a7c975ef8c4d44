"""Kernels that the tests compile for GPUs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice

# The oldest Triton, beside 3.9 in the environment: tools/setup.sh installs it there.
TRITON_3_6 = Path(sys.prefix) / "triton-3.6"

ADD = {"x_ptr": "*fp32:16", "y_ptr": "*fp32:16", "out_ptr": "*fp32:16", "n": "i32:16"}
HALVES = {"a_ptr": "*fp16:16", "b_ptr": "*fp16:16", "c_ptr": "*fp16:16", "K": "i32:16"}
PRODUCT = {"a_ptr": "*fp32:16", "b_ptr": "*fp32:16", "c_ptr": "*fp32:16"}


@blockdsl.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, total, mask=mask)


@blockdsl.jit
def product(a_ptr, b_ptr, c_ptr, SIZE: tl.constexpr, PRECISION: tl.constexpr = None):
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    c = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), input_precision=PRECISION)
    tl.store(c_ptr + at, c)


@blockdsl.jit
def product_of_rows(a_ptr, b_ptr, c_ptr, K, SIZE: tl.constexpr, DEPTH: tl.constexpr):
    rows, depth = tl.arange(0, SIZE), tl.arange(0, DEPTH)
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for k in range(0, K, DEPTH):
        a = tl.load(a_ptr + rows[:, None] * K + (k + depth)[None, :])
        b = tl.load(b_ptr + (k + depth)[:, None] * SIZE + rows[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows[:, None] * SIZE + rows[None, :], total)


@blockdsl.jit
def fused(x_ptr, y_ptr, out_ptr):
    at = tl.arange(0, 32)
    tl.store(out_ptr + at, tl.load(x_ptr + at) * tl.load(y_ptr + at) + 1.5)


@blockdsl.jit
def checked(x_ptr, out_ptr):
    at = tl.arange(0, 32)
    x = tl.load(x_ptr + at)
    tl.device_assert(x < 41.0, "x is large")
    tl.store(out_ptr + at, x)


@blockdsl.jit
def printing(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 32))
    tl.device_print("x", x)


@blockdsl.jit
def _doubled(x):
    return x + x


@blockdsl.jit
def calling(x_ptr, out_ptr):
    at = tl.arange(0, 32)
    tl.store(out_ptr + at, _doubled(tl.load(x_ptr + at)))


@blockdsl.jit
def _first_of(x, flag):
    if flag > 0:
        return x
    return x * 2


@blockdsl.jit
def calling_in_a_loop(x_ptr, out_ptr, n):
    at = tl.arange(0, 32)
    for i in range(n):
        tl.store(out_ptr + i * 32 + at, _first_of(tl.load(x_ptr + i * 32 + at), i))


@blockdsl.jit
def early(x_ptr, n):
    if tl.program_id(0) >= n:
        return
    tl.store(x_ptr + tl.program_id(0), 1.0)


@blockdsl.jit
def twice_hinted(x_ptr, out_ptr):
    at = tl.arange(0, 512)
    x = tl.load(x_ptr + at, cache_modifier=".cg", eviction_policy="evict_last")
    tl.store(out_ptr + at, x)


@blockdsl.jit
def _hinted_load(pointers):
    return tl.load(pointers, cache_modifier=".cg", eviction_policy="evict_last")


@blockdsl.jit
def hinted_in_a_callee(x_ptr, out_ptr):
    x = _hinted_load(x_ptr + tl.arange(0, 128))
    tl.store(out_ptr + tl.arange(0, 128), x)


@blockdsl.jit
def negated(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 128))
    tl.store(out_ptr + tl.arange(0, 128), -x)


def compiled(
    kernel: Any, signature: dict[str, str], constexprs: dict[str, object] | None = None, **options: Any
) -> Any:
    """Compiled for Hopper, unless the options name another target."""
    return blockdsl.compile(kernel, signature=signature, constexprs=constexprs, **{"target": "cuda:90", **options})


@blockdsl.jit
def rounded_down(x_ptr, out_ptr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, libdevice.fma_rd(x, x, libdevice.ll2double_ru(libdevice.double2ll_rn(x))))
