"""Stock Triton code on the CPU: a kernel of ``@triton.jit``, and torch.compile's kernels of a transformer block.

The former is compared with torch's operator, the latter with Inductor's C++, alternately in one process.
"""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import triton
import triton.language as tl
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import blockdsl
from benchmarks import timing
from benchmarks.report import aligned, seconds

ROUNDS = 21
TOLERANCE = 1e-3
"""Tolerance of f32 against f64: much larger than rounding errors, and much smaller than errors of wrong code."""


@triton.jit
def softmax_rows(out_ptr, x_ptr, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + at, numerator / tl.sum(numerator, axis=0), mask=at < columns)


class Block(nn.Module):
    """Attention and a feed-forward network, each after a layer norm and with a residual connection."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.projections, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, words, width = x.shape
        projected = self.projections(self.before(x)).view(batch, words, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = projected
        weights = (query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5).softmax(-1)
        x = x + self.out((weights @ value).transpose(1, 2).reshape(batch, words, width))
        return x + self.narrow(nn.functional.gelu(self.wide(self.after(x)), approximate="tanh"))


def row(
    name: str, size: str, beside: str, ours: Callable[[], torch.Tensor], theirs: Callable[[], torch.Tensor],
    reference: torch.Tensor,
) -> list[str]:  # fmt: skip
    """Returns a line of the table. Exits the program if a result is wrong."""
    begun = time.perf_counter()
    error = float((ours().double() - reference).abs().max())
    first = time.perf_counter() - begun
    if not error < TOLERANCE:
        raise SystemExit(f"{name} is wrong: the largest error is {error:.1e}")
    begun = time.perf_counter()
    theirs()
    theirs_first = time.perf_counter() - begun
    timed = timing.compare({timing.OURS: ours, beside: theirs}, ROUNDS)
    took = [seconds(timed.seconds[who].median) for who in (timing.OURS, beside)]
    return [name, size, f"{error:.1e}", seconds(first), *took, beside, seconds(theirs_first),
            f"{timed.ratios[beside].median:.2f} x"]  # fmt: skip


def stock_kernel() -> list[str]:
    rows, columns = 1823, 781
    x = torch.randn(rows, columns)
    out, theirs = torch.empty_like(x), torch.empty_like(x)

    def ours() -> torch.Tensor:
        softmax_rows[(rows,)](out, x, columns, BLOCK=1024)
        return out

    return row("@triton.jit softmax", f"{rows} x {columns}", "torch", ours,
               lambda: torch.softmax(x, 1, out=theirs), x.double().softmax(1))  # fmt: skip


def transformer_block() -> list[str]:
    model, x = Block(256, 4).eval(), torch.randn(4, 128, 256)
    ours, theirs = torch.compile(model, backend="blockdsl"), torch.compile(copy.deepcopy(model))
    reference = copy.deepcopy(model).double()(x.double())
    return row("torch.compile, a block", "4 x 128 x 256", "C++", lambda: ours(x), lambda: theirs(x), reference)


def main() -> None:
    torch.manual_seed(0)
    with torch.no_grad(), blockdsl.triton.activate():
        lines = [stock_kernel(), transformer_block()]
    headings = ["stock Triton code", "size", "largest error", "first call", "blockdsl", "theirs", "which is",
                "its first call", "theirs / blockdsl"]  # fmt: skip
    print(aligned(headings, lines, {0, 1, 6}))
    print(f"\nf32, {torch.get_num_threads()} threads; errors against f64; times are medians of {ROUNDS} rounds.")


if __name__ == "__main__":
    main()
