"""The tiled matmul of Triton's third tutorial in f32, at the best of a handful of block sizes."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks import limits
from benchmarks.case import Case
from benchmarks.timing import OURS, TORCH, calls_per_round, seconds_per_call
from examples.matmul import matmul

HELD_TO = {512: 0.9, 1024: 0.9}
"""n of an n x n x n product: at least this many times as fast as torch."""

BLOCKS = ((64, 64, 32), (64, 64, 64), (128, 64, 64), (64, 128, 64), (128, 128, 64), (64, 256, 64), (128, 128, 128))


def best_blocks(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> tuple[int, int, int]:
    """What an autotuner does: the fastest of the handful, each at the best of five rounds."""

    def seconds(blocks: tuple[int, int, int]) -> float:
        def call() -> object:
            return matmul(a, b, None, out, blocks)

        calls = calls_per_round(call)
        return min(seconds_per_call(call, calls) for _ in range(5))

    return min(BLOCKS, key=seconds)


def cases(peers: bool) -> Iterator[Case]:
    """No peers: Inductor calls the same library as torch, and numba has no matrix product of its own."""
    del peers
    for n, ratio in HELD_TO.items():
        yield case(n, ratio)


def case(n: int, ratio: float) -> Case:
    a, b = torch.randn(n, n), torch.randn(n, n)
    results = {name: torch.empty(n, n) for name in (OURS, TORCH)}
    blocks = best_blocks(a, b, results[OURS])
    return Case(
        "matmul",
        f"{n} (blocks {' x '.join(map(str, blocks))})",
        {
            OURS: lambda: matmul(a, b, None, results[OURS], blocks),
            TORCH: lambda: torch.mm(a, b, out=results[TORCH]),
        },
        results,
        lambda: a.double() @ b.double(),
        tolerance=1e-3,
        limit=lambda threads: 2 * n**3 / limits.peak_flops(threads),
        at_least=ratio,
    )
