"""CUDA graphs over many launches: right results, and memory that does not grow."""

from __future__ import annotations

import resource
from types import ModuleType
from typing import Any

import torch

from benchmarks.cuda import sources
from benchmarks.cuda.sources import OURS

LAUNCHES = 100_000
IN_GRAPH = 100


def host_bytes() -> int:
    """The resident memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def device_bytes() -> int:
    free, total = torch.cuda.mem_get_info()
    return total - free


def capture(kernels: ModuleType, x: torch.Tensor) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(IN_GRAPH):
            kernels.increment[(4,)](x, x.numel(), BLOCK=1024)
    return graph


def measure() -> dict[str, Any]:
    """Runs LAUNCHES launches from a graph, and as many without one; raises if a result is wrong."""
    kernels = sources.load(OURS)
    x = torch.zeros(4096, device="cuda")
    # The first launch is inside of the capture: compiling and loading must not disturb it.
    graph = capture(kernels, x)
    for _ in range(10):
        graph.replay()
    torch.cuda.synchronize()
    # The driver's queue takes its memory while it fills for the first time.
    for _ in range(LAUNCHES):
        kernels.increment[(4,)](x, x.numel(), BLOCK=1024)
    torch.cuda.synchronize()
    x.zero_()
    before = host_bytes(), device_bytes()
    for _ in range(LAUNCHES // IN_GRAPH):
        graph.replay()
    torch.cuda.synchronize()
    after_graph = host_bytes(), device_bytes()
    if not bool((x == LAUNCHES).all()):
        raise SystemExit(f"graph: expected {LAUNCHES}, got {x.min().item()} to {x.max().item()}")
    for _ in range(LAUNCHES):
        kernels.increment[(4,)](x, x.numel(), BLOCK=1024)
    torch.cuda.synchronize()
    after = host_bytes(), device_bytes()
    if not bool((x == 2 * LAUNCHES).all()):
        raise SystemExit(f"launches: expected {2 * LAUNCHES}, got {x.min().item()} to {x.max().item()}")
    return {
        "launches": LAUNCHES,
        "host_growth_replaying": after_graph[0] - before[0],
        "device_growth_replaying": after_graph[1] - before[1],
        "host_growth_launching": after[0] - after_graph[0],
        "device_growth_launching": after[1] - after_graph[1],
    }
