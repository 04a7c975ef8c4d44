"""Kernels of ours that the tests launch within graphs; a module of their own, because saved graphs import it."""

from __future__ import annotations

import torch

import blockdsl
import blockdsl.language as tl

CONFIGURATIONS = [blockdsl.Config({"BLOCK": 64}), blockdsl.Config({"BLOCK": 256})]


@blockdsl.jit
def scaled(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, factor * tl.load(x_ptr + at, mask=at < n), mask=at < n)


@blockdsl.jit
def increment(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


@blockdsl.jit
def powers(x_ptr, out_ptr, n):
    """Each element is twice the previous one: within one buffer, the powers of two."""
    for i in range(n - 1):
        tl.store(out_ptr + i + 1, 2 * tl.load(x_ptr + i))


@blockdsl.jit
def rows(x_ptr, out_ptr, stride, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + at, mask=at < columns)
    tl.store(out_ptr + row * columns + at, 2 * x, mask=at < columns)


@blockdsl.autotune(CONFIGURATIONS, key=["n"])
@blockdsl.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@blockdsl.jit
def doubled(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at) if EVEN else tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, 2 * x, mask=at < n)


@blockdsl.autotune(
    [blockdsl.Config({"BLOCK": 64}), blockdsl.Config({"BLOCK": 256})], key=["n"], restore_value=["x_ptr"]
)
@blockdsl.jit
def increment_tuned(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


@blockdsl.autotune(CONFIGURATIONS, key=["n"])
@blockdsl.jit
def sum_tuned(out_ptr, n, *rows, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for row in tl.static_range(len(rows)):
        total += tl.load(rows[row] + at, mask=at < n)
    tl.store(out_ptr + at, total, mask=at < n)


@blockdsl.jit
def relu(x):
    return tl.where(x > 0, x, 0)


@blockdsl.jit
def applied(pair, n, FUNCTION: tl.constexpr, DTYPE: tl.constexpr = tl.float32, BLOCK: tl.constexpr = 64):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(pair[0] + at, mask=at < n).to(DTYPE)
    tl.store(pair[1] + at, FUNCTION(x), mask=at < n)


@blockdsl.jit
def either(x_ptr, y_ptr, BACK: tl.constexpr):
    if BACK:
        tl.store(x_ptr, tl.load(y_ptr))
    else:
        tl.store(y_ptr, tl.load(x_ptr))


def programs(x: torch.Tensor):
    return lambda meta: (blockdsl.cdiv(x.numel(), meta["BLOCK"]),)


class Model(torch.nn.Module):
    """6 x + 1."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        once, twice = torch.empty_like(x), torch.empty_like(x)
        scaled[programs(x)](x, once, x.numel(), 3.0, BLOCK=64)
        doubled[programs(x)](once, twice, x.numel())
        return twice + 1
