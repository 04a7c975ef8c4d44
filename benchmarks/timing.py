"""Comparison of contenders by many short, interleaved rounds on the same tensors.

A machine's speed drifts by more than the differences of interest. So every round times every contender once, ratios are
computed within a round, and the median over the rounds is reported with its quartiles.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

OURS, TORCH = "blockdsl", "torch"

ROUND_SECONDS = 4e-3
"""Approximate seconds of a contender in a round; it runs at least once."""


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values: list[float]) -> Spread:
        if len(values) < 2:
            return Spread(values[0], values[0], values[0])
        low, median, high = statistics.quantiles(values, n=4)
        return Spread(median, low, high)


@dataclass(frozen=True)
class Timing:
    """Seconds per call of each contender, and their ratios to ours."""

    seconds: dict[str, Spread]
    ratios: dict[str, Spread]


def calls_per_round(call: Callable[[], object]) -> int:
    """Returns the number of calls that fit into a round. The first calls also compile and warm up."""
    for _ in range(3):
        call()
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < ROUND_SECONDS:
        call()
        calls += 1
    return max(1, calls)


def seconds_per_call(call: Callable[[], object], calls: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - start) / calls * 1e-9


def calls_per_second(call: Callable[[], object], seconds: float) -> float:
    """Repeats a call for some seconds, at least once, and returns the calls per second."""
    start, calls, elapsed = time.perf_counter(), 0, 0.0
    while elapsed < seconds:
        call()
        calls += 1
        elapsed = time.perf_counter() - start
    return calls / elapsed


def compare(contenders: dict[str, Callable[[], object]], rounds: int) -> Timing:
    """Times every contender once per round, in alternating order."""
    calls = {name: calls_per_round(call) for name, call in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds):
        order = list(contenders) if number % 2 == 0 else list(contenders)[::-1]
        for name in order:
            times[name].append(seconds_per_call(contenders[name], calls[name]))
    ratios = {
        name: Spread.of(
            [other_seconds / own_seconds for other_seconds, own_seconds in zip(times[name], times[OURS], strict=True)]
        )
        for name in contenders
        if name != OURS
    }
    return Timing({name: Spread.of(values) for name, values in times.items()}, ratios)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Context with ``count`` threads for torch, which blockdsl uses, too."""
    import torch

    previous = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(previous)
