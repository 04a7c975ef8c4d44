"""Blocks that loops carry in vector registers, and copies of blocks without calls: the LLVM IR after its passes."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.backends import cpu
from blockdsl.compiler.target import Target


@blockdsl.jit
def add_up(out, x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(n):
        total += tl.load(x + i * BLOCK + at)
    tl.store(out + at, total)


@blockdsl.jit
def add_masked(out, x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(n):
        total += tl.load(x + i * BLOCK + at, mask=at < n, other=0.0)
    tl.store(out + at, total)


@blockdsl.jit
def add_or_scale(out, x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(n):
        if i % 3 == 0:
            total = total * 0.5
        else:
            total += tl.load(x + i * BLOCK + at)
    tl.store(out + at, total)


@blockdsl.jit
def add_outer(out, x, n, BLOCK: tl.constexpr):
    row, column = tl.arange(0, 4)[:, None], tl.arange(0, BLOCK // 4)[None, :]
    total = tl.zeros((4, BLOCK // 4), tl.float32)
    for i in range(n):
        total += tl.load(x + i * BLOCK + row) * tl.load(x + i * BLOCK + column)
    tl.store(out + row * (BLOCK // 4) + column, total)


def optimized(kernel: Any) -> str:
    return cpu.emit_optimized(kernel.asm["llir"], Target.host())


def expected(kernel: object, x: torch.Tensor) -> torch.Tensor:
    n, block = x.shape
    if kernel is add_outer:
        return torch.einsum("nr,nc->rc", x[:, :4], x[:, : block // 4]).flatten()
    if kernel is add_masked:
        return x.sum(0) * (torch.arange(block) < n)
    total = torch.zeros(block, dtype=x.dtype)
    for i, row in enumerate(x):
        total = total * 0.5 if kernel is add_or_scale and i % 3 == 0 else total + row
    return total


@pytest.mark.parametrize("kernel", [add_up, add_masked, add_or_scale, add_outer], ids=lambda each: each.__name__)
def test_a_small_block_is_in_registers(kernel: Any) -> None:
    # A loop that a mask bounds is unrolled if its first step, of four vectors, covers the block.
    block = 4 * Target.host().vector_bits // 32 if kernel is add_masked else 64
    x, out = torch.randn(9, block), torch.full((block,), float("nan"))
    compiled = kernel[(1,)](out, x, 9, BLOCK=block)
    torch.testing.assert_close(out.double(), expected(kernel, x.double()), rtol=1e-5, atol=1e-5)
    assert "alloca" in compiled.asm["llir"]
    assert "alloca" not in optimized(compiled)


@blockdsl.jit
def sort_rows(out, x):
    at = tl.program_id(0) * 1024 + tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at)))


def test_a_copy_of_a_block_is_a_loop() -> None:
    x = torch.randn(32, 64)
    out = torch.empty_like(x)
    compiled = sort_rows[(2,)](out, x)
    torch.testing.assert_close(out, x.sort().values, rtol=0, atol=0)
    assert "memcpy" not in optimized(compiled)
