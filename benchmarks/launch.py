"""Benchmark of launch overhead: a compiled kernel with three tensors and an int, over 64 elements."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks.case import Case
from benchmarks.timing import OURS, TORCH
from examples.vector_add import vector_add

ELEMENTS = 64
AT_MOST = 3e-6
"""Seconds."""


def cases(peers: bool) -> Iterator[Case]:
    del peers
    x, y = torch.randn(ELEMENTS), torch.randn(ELEMENTS)
    results = {name: torch.empty_like(x) for name in (OURS, TORCH)}
    out = results[OURS]
    yield Case(
        "launch",
        f"{ELEMENTS} elements",
        {
            OURS: lambda: vector_add[(1,)](x, y, out, ELEMENTS, BLOCK=ELEMENTS),
            TORCH: lambda: torch.add(x, y, out=results[TORCH]),
        },
        results,
        lambda: x.double() + y.double(),
        tolerance=1e-6,
        at_most=AT_MOST,
    )
