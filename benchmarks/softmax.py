"""Softmax over rows, at a width that fills its block and at one that does not."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks import limits
from benchmarks.case import Case
from benchmarks.peers import Contenders, inductor, numba_softmax
from benchmarks.timing import OURS, TORCH
from examples.softmax import softmax

ROWS = 4096
HELD_TO = {1024: 1.6, 781: 1.6}
"""The target ratio of torch's time to ours, by columns."""


def cases(peers: bool) -> Iterator[Case]:
    for columns, ratio in HELD_TO.items():
        yield case(columns, ratio, peers)


def case(columns: int, ratio: float, peers: bool) -> Case:
    x = torch.randn(ROWS, columns)
    results = {name: torch.empty_like(x) for name in (OURS, TORCH)}
    contenders: Contenders = {
        OURS: lambda: softmax(x, results[OURS]),
        TORCH: lambda: torch.softmax(x, 1, out=results[TORCH]),
    }
    if peers:
        inductor(contenders, results, lambda x, out: torch.softmax(x, 1, out=out), (x,))
        numba_softmax(contenders, results, x)
    return Case(
        "softmax",
        f"{ROWS} x {columns}",
        contenders,
        results,
        lambda: torch.softmax(x.double(), 1),
        tolerance=1e-6,
        limit=lambda threads: limits.streaming_seconds(x.numel(), 1, threads),
        at_least=ratio,
    )
