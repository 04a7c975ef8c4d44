"""Comparison of compiled and eager models and functions: differences and times."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

ROUNDS = 7


def difference(ours: Any, theirs: Any) -> float:
    """Returns the largest difference over the largest value."""
    ours, theirs = torch.as_tensor(ours).double(), torch.as_tensor(theirs).double()
    return float((ours - theirs).abs().max() / theirs.abs().max())


def took(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def compare(name: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """Prints the time of our first call, which compiles, the difference, and medians of alternating calls."""
    first = took(ours)
    error = difference(ours(), theirs())
    rounds = [(took(theirs), took(ours)) for _ in range(ROUNDS)]
    eager, compiled = (statistics.median(times) for times in zip(*rounds, strict=True))
    print(f"{name}, compiled in {first:.1f} s, eager {1e3 * eager:.1f} ms, compiled {1e3 * compiled:.1f} ms: "
          f"largest error {error:.1e}")  # fmt: skip
