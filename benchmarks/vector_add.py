"""Benchmark of a masked vector add, in the cache and beyond."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks import limits
from benchmarks.case import Case
from benchmarks.peers import Contenders, inductor, numba_add
from benchmarks.timing import OURS, TORCH
from examples.vector_add import vector_add

HELD_TO = {16 << 10: 1.0, 32 << 20: 1.2}
"""The target ratio of torch's time to ours, by elements."""

BLOCK = 2048


def cases(peers: bool) -> Iterator[Case]:
    for elements, ratio in HELD_TO.items():
        yield case(elements, ratio, peers)


def case(elements: int, ratio: float, peers: bool) -> Case:
    x, y = torch.randn(elements), torch.randn(elements)
    results = {name: torch.empty_like(x) for name in (OURS, TORCH)}
    # In the cache the time of a Python call matters; both sides make one.
    launch, out = vector_add[(-(-elements // BLOCK),)], results[OURS]
    contenders: Contenders = {
        OURS: lambda: launch(x, y, out, elements, BLOCK=BLOCK),
        TORCH: lambda: torch.add(x, y, out=results[TORCH]),
    }
    if peers:
        inductor(contenders, results, torch.add, (x, y))
        numba_add(contenders, results, x, y)
    return Case(
        "vector add",
        f"{elements >> 20} Mi" if elements >= 1 << 20 else f"{elements >> 10} Ki",
        contenders,
        results,
        lambda: x.double() + y.double(),
        tolerance=1e-6,
        limit=lambda threads: limits.streaming_seconds(elements, 2, threads),
        at_least=ratio,
    )
