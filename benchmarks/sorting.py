"""Benchmarks of sort and top-k of rows. torch returns the indices, too."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks.case import Case
from benchmarks.kernels import sort_rows, topk_rows
from benchmarks.timing import OURS, TORCH

ELEMENTS, LARGEST = 1 << 20, 8
AT_LEAST = 1.0
"""The target ratio of torch's time to ours."""
BLOCK = 4096
"""Elements per program, in one or several rows."""


def cases(_peers: bool) -> Iterator[Case]:
    for columns in (64, 1024):
        yield _sort(columns)
        yield _topk(columns)


def _sort(columns: int) -> Case:
    x = torch.randn(ELEMENTS // columns, columns)
    results = {name: torch.empty_like(x) for name in (OURS, TORCH)}
    indices = torch.empty(x.shape, dtype=torch.int64)
    rows = BLOCK // columns
    return Case(
        "sort",
        f"{x.shape[0]} x {columns}",
        {
            OURS: lambda: sort_rows[(x.shape[0] // rows,)](results[OURS], x, ROWS=rows, COLUMNS=columns),
            TORCH: lambda: torch.sort(x, dim=1, out=(results[TORCH], indices)),
        },
        results,
        lambda: x.double().sort(1).values,
        tolerance=0,
        at_least=AT_LEAST,
    )


def _topk(columns: int) -> Case:
    x = torch.randn(ELEMENTS // columns, columns)
    results = {name: torch.empty(x.shape[0], LARGEST) for name in (OURS, TORCH)}
    indices = torch.empty(x.shape[0], LARGEST, dtype=torch.int64)
    rows = BLOCK // columns
    return Case(
        f"top {LARGEST}",
        f"{x.shape[0]} x {columns}",
        {
            OURS: lambda: topk_rows[(x.shape[0] // rows,)](results[OURS], x, ROWS=rows, COLUMNS=columns, K=LARGEST),
            TORCH: lambda: torch.topk(x, LARGEST, dim=1, out=(results[TORCH], indices)),
        },
        results,
        lambda: x.double().topk(LARGEST, 1).values,
        tolerance=0,
        at_least=AT_LEAST,
    )
