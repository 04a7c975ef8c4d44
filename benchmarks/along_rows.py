"""Benchmarks of argmax and cumulative sums along rows."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks import limits
from benchmarks.case import Case
from benchmarks.kernels import argmax_rows, cumsum_rows
from benchmarks.timing import OURS, TORCH

ELEMENTS, BLOCK = 4 << 20, 4096
AT_LEAST = 1.0


def cases(_peers: bool) -> Iterator[Case]:
    yield _argmax(1024)
    for columns in (16, 128, 1024, 16384):
        yield _cumsum(columns)


def _argmax(columns: int) -> Case:
    x = torch.randn(ELEMENTS // columns, columns)
    results = {name: torch.empty(x.shape[0], dtype=torch.int64) for name in (OURS, TORCH)}
    rows = max(1, BLOCK // columns)
    return Case(
        "argmax",
        f"{x.shape[0]} x {columns}",
        {
            OURS: lambda: argmax_rows[(x.shape[0] // rows,)](results[OURS], x, ROWS=rows, COLUMNS=columns),
            TORCH: lambda: torch.argmax(x, dim=1, out=results[TORCH]),
        },
        results,
        lambda: x.argmax(1).double(),
        tolerance=0,
        limit=lambda threads: limits.streaming_seconds(ELEMENTS, 1, threads),
        at_least=AT_LEAST,
    )


def _cumsum(columns: int) -> Case:
    x = torch.randn(ELEMENTS // columns, columns)
    results = {name: torch.empty_like(x) for name in (OURS, TORCH)}
    rows = max(1, BLOCK // columns)
    return Case(
        "cumsum",
        f"{x.shape[0]} x {columns}",
        {
            OURS: lambda: cumsum_rows[(x.shape[0] // rows,)](results[OURS], x, ROWS=rows, COLUMNS=columns),
            TORCH: lambda: torch.cumsum(x, 1, out=results[TORCH]),
        },
        results,
        lambda: x.double().cumsum(1),
        tolerance=2e-3,
        limit=lambda threads: limits.streaming_seconds(ELEMENTS, 1, threads),
        at_least=AT_LEAST,
    )
