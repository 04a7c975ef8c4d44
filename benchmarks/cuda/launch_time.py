"""Host time of a launch of a compiled kernel with three tensors and an int, ours and Triton's alternately."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from benchmarks.cuda import sources
from benchmarks.cuda.sources import OURS, TRITON
from benchmarks.timing import Spread

HELD_TO = 0.45
"""The largest ratio of our time to Triton's."""

BURST = 200
"""Launches between two synchronizations: fewer than the driver's queue holds, so that only the host's work is timed."""


def caller(kernels: ModuleType) -> Callable[[], object]:
    x, y = torch.randn(1024, device="cuda"), torch.randn(1024, device="cuda")
    out = torch.empty_like(x)
    grid = (1,)

    def launch() -> object:
        return kernels.add[grid](x, y, out, 1024, BLOCK=1024)

    return launch


def burst(launch: Callable[[], object]) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter_ns()
    for _ in range(BURST):
        launch()
    spent = time.perf_counter_ns() - start
    torch.cuda.synchronize()
    return spent / BURST * 1e-9


def measure(rounds: int = 101) -> dict[str, Any]:
    """Returns the seconds per launch."""
    launches = {name: caller(sources.load(name)) for name in (OURS, TRITON)}
    for launch in launches.values():
        burst(launch)
    times: dict[str, list[float]] = {name: [] for name in launches}
    for number in range(rounds):
        for name in list(launches) if number % 2 == 0 else list(launches)[::-1]:
            times[name].append(burst(launches[name]))
    ratio = Spread.of(
        [own_seconds / triton_seconds for own_seconds, triton_seconds in zip(times[OURS], times[TRITON], strict=True)]
    )
    return {
        "seconds": Spread.of(times[OURS]).median,
        "triton_seconds": Spread.of(times[TRITON]).median,
        "ratio": [ratio.low, ratio.median, ratio.high],
        "held": ratio.median <= HELD_TO,
    }
