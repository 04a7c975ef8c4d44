"""Benchmark of the tiled matmul of Triton's third tutorial, with the best of a few block sizes: f32, bf16, int8."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Iterator

import torch

from benchmarks import dot_limits, limits
from benchmarks.case import Case
from benchmarks.timing import OURS, TORCH, calls_per_round, seconds_per_call
from examples.matmul import matmul

HELD_TO = {512: 0.9, 1024: 0.9}
"""The target ratio of torch's time to ours, by n of an n x n x n product."""

NARROW_SIZES = (512, 1024)

BLOCKS = (
    (128, 128, 64), (128, 128, 128), (256, 256, 128), (256, 256, 256), (256, 512, 256), (512, 512, 256),
    (1024, 512, 256),
)  # fmt: skip
"""Both operands are packed here, too. Sums are stored and loaded for each step of the depth, so deep blocks are better;
the packed right side should stay in the second-level cache."""

NARROW_BLOCKS = ((64, 64, 64), (128, 128, 64), (128, 128, 128), (64, 256, 128), (128, 256, 128), (256, 256, 128))
"""Both operands are packed for each product of two blocks, so larger blocks are better."""


def best_blocks(
    a: torch.Tensor, b: torch.Tensor, out: torch.Tensor, choices: tuple[tuple[int, int, int], ...] = BLOCKS
) -> tuple[int, int, int]:
    """Returns the fastest block sizes, by the median of times relative to their round, measured alternately.

    The machine's speed changes between rounds, so the minimum of each would depend on which one ran in a fast round.
    """
    calls = [functools.partial(matmul, a, b, None, out, blocks) for blocks in choices]
    counts = [calls_per_round(call) for call in calls]
    rounds = [[seconds_per_call(call, count) for call, count in zip(calls, counts, strict=True)] for _ in range(9)]
    shares = [[time / sum(times) for time in times] for times in rounds]
    typical = [statistics.median(of_block) for of_block in zip(*shares, strict=True)]
    return choices[typical.index(min(typical))]


def cases(peers: bool) -> Iterator[Case]:
    """Yields cases without peers: Inductor calls the same library as torch, and numba has no matmul of its own."""
    del peers
    for n, ratio in HELD_TO.items():
        yield case(n, ratio)
    for dtype in (torch.bfloat16, torch.int8):
        for n in NARROW_SIZES:
            yield narrow_case(n, dtype)


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


def narrow_case(n: int, dtype: torch.dtype) -> Case:
    """Returns bf16 to bf16 against torch.mm, or int8 to int32 against torch._int_mm; the limit is the peak of the CPU's
    instruction for the type."""
    exact = dtype == torch.int8
    name = "int8" if exact else "bf16"
    a, b = ((torch.randint(-128, 128, (n, n)) if exact else torch.randn(n, n)).to(dtype) for _ in range(2))
    results = {contender: torch.empty(n, n, dtype=torch.int32 if exact else dtype) for contender in (OURS, TORCH)}
    blocks = best_blocks(a, b, results[OURS], NARROW_BLOCKS)
    torch_matmul = torch._int_mm if exact else torch.mm
    return Case(
        f"matmul {name}",
        f"{n} (blocks {' x '.join(map(str, blocks))})",
        {
            OURS: lambda: matmul(a, b, None, results[OURS], blocks),
            TORCH: lambda: torch_matmul(a, b, out=results[TORCH]),
        },
        results,
        lambda: a.double() @ b.double(),
        tolerance=0 if exact else n**0.5 / 32,  # Half a unit in the last place of the largest results.
        limit=lambda threads: 2 * n**3 / dot_limits.peak_operations(name, threads),
    )
