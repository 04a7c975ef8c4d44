"""CUDA graphs over many launches: checks of results and of memory growth."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch

from benchmarks.cuda import sources
from benchmarks.cuda.sources import OURS
from benchmarks.memory import growth

LAUNCHES = 100_000
IN_GRAPH = 100


def capture(kernels: ModuleType, x: torch.Tensor) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(IN_GRAPH):
            kernels.increment[(4,)](x, x.numel(), BLOCK=1024)
    return graph


def measure() -> list[dict[str, Any]]:
    """Runs LAUNCHES launches from a graph, and as many without a graph, each twice. Checks the results."""
    kernels = sources.load(OURS)
    x = torch.zeros(4096, device="cuda")
    # The first launch is inside of the capture, to check that compiling and loading do not disturb it.
    graph = capture(kernels, x)

    def replay() -> None:
        for _ in range(LAUNCHES // IN_GRAPH):
            graph.replay()
        torch.cuda.synchronize()

    def launch() -> None:
        for _ in range(LAUNCHES):
            kernels.increment[(4,)](x, x.numel(), BLOCK=1024)
        torch.cuda.synchronize()

    # The driver's queue allocates memory while it fills for the first time.
    replay()
    launch()
    rows = []
    for mode, launch_all in (("replaying", replay), ("launching", launch)):
        x.zero_()
        halves = growth(launch_all)
        if not bool((x == 2 * LAUNCHES).all()):
            raise SystemExit(f"{mode}: expected {2 * LAUNCHES}, got {x.min().item()} to {x.max().item()}")
        rows += [{"way": mode, "launches": f"{half} {LAUNCHES}", **vars(grown)}
                 for half, grown in zip(("first", "next"), halves, strict=True)]  # fmt: skip
    return rows
