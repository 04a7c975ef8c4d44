"""Benchmark of the matmul of Triton's third tutorial with blocks for GPUs, against torch: f32, bf16, f16, int8."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks import dot_limits, limits
from benchmarks.case import Case
from benchmarks.timing import OURS, TORCH
from examples.matmul import matmul

KERNEL = "matmul in a GPU's blocks"

SIZES = ((512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (1000, 777, 513))
BLOCKS = ((32, 32, 32), (64, 64, 32), (64, 64, 64), (128, 128, 64), (128, 64, 32))
"""Rows, columns and depth of a block."""

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "int8": torch.int8}


def cases(peers: bool) -> Iterator[Case]:
    """No peers: see benchmarks/matmul.py."""
    del peers
    for name, dtype in TYPES.items():
        for m, n, k in SIZES:
            # torch's int8 matmul requires multiples of 8.
            if dtype != torch.int8 or k % 8 == 0:
                yield from of_size(name, dtype, m, n, k)


def of_size(name: str, dtype: torch.dtype, m: int, n: int, k: int) -> Iterator[Case]:
    exact = dtype == torch.int8
    a, b = ((torch.randint(-128, 128, shape) if exact else torch.randn(shape)).to(dtype) for shape in ((m, k), (k, n)))
    expected = a.double() @ b.double()
    results = {contender: torch.empty(m, n, dtype=torch.int32 if exact else dtype) for contender in (OURS, TORCH)}
    torch_matmul = torch._int_mm if exact else torch.mm
    # Half a unit in the last place of the largest results.
    tolerance = {"f32": 1e-3, "bf16": k**0.5 / 32, "f16": k**0.5 / 256, "int8": 0}[name]
    for blocks in BLOCKS:
        yield Case(
            f"{KERNEL}, {name}",
            f"{m} x {n} x {k} (blocks {' x '.join(map(str, blocks))})",
            {
                OURS: lambda blocks=blocks: matmul(a, b, None, results[OURS], blocks),  # type: ignore[misc]
                TORCH: lambda: torch_matmul(a, b, out=results[TORCH]),
            },
            results,
            lambda: expected,
            tolerance=tolerance,
            limit=lambda threads: 2 * m * n * k / operations(name, threads),
        )


def operations(name: str, threads: int) -> float:
    """Returns the machine's peak operations per second on this type."""
    return dot_limits.peak_operations(name, threads) if name in ("bf16", "int8") else limits.peak_flops(threads)
