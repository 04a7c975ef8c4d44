"""Benchmarks of data-dependent addresses: atomic additions, histogram, gather, scatter. Values are integers, so that
results do not depend on the order of additions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from benchmarks import limits
from benchmarks.case import Case
from benchmarks.kernels import add_at, count, gather, scatter
from benchmarks.timing import OURS, TORCH

ELEMENTS, BLOCK = 1 << 20, 2048
COUNTED = 16384
"""Elements of a program of the histogram, which adds its counts with an atomic per bin."""


def cases(_peers: bool) -> Iterator[Case]:
    for bins in (1, 256, 1 << 20):
        yield _addition(bins)
    yield _histogram(256)
    x, at = torch.randn(ELEMENTS), torch.randperm(ELEMENTS)
    grid = (ELEMENTS // BLOCK,)
    yield _moved(
        "gather", lambda out: gather[grid](out, x, at, BLOCK=BLOCK), lambda out: torch.take(x, at, out=out), x[at], 1.0
    )
    yield _moved(
        "scatter",
        lambda out: scatter[grid](out, x, at, BLOCK=BLOCK),
        lambda out: out.scatter_(0, at, x),
        torch.empty_like(x).scatter_(0, at, x),
        1.0,
    )


def _addition(bins: int) -> Case:
    at, x = torch.randint(bins, (ELEMENTS,)), torch.randint(8, (ELEMENTS,)).float()
    results = {name: torch.empty(bins) for name in (OURS, TORCH)}

    def add() -> None:
        results[OURS].zero_()
        add_at[(ELEMENTS // BLOCK,)](results[OURS], at, x, BLOCK=BLOCK)

    return Case(
        "atomic add",
        f"1 Mi into {bins if bins < 1 << 20 else '1 Mi'}",
        {OURS: add, TORCH: lambda: results[TORCH].zero_().index_add_(0, at, x)},
        results,
        lambda: torch.zeros(bins, dtype=torch.float64).index_add_(0, at, x.double()),
        tolerance=0,
        # The limit is for one thread: several threads contend for bins, depending on the data.
        limit=lambda _threads: limits.locked_seconds(bins, at.numpy()),
    )


def _histogram(bins: int) -> Case:
    x = torch.randint(bins, (ELEMENTS,), dtype=torch.int32)
    results = {OURS: torch.empty(bins, dtype=torch.int32), TORCH: torch.empty(bins, dtype=torch.int64)}

    def count_bins() -> None:
        results[OURS].zero_()
        count[(ELEMENTS // COUNTED,)](results[OURS], x, BINS=bins, BLOCK=COUNTED)

    return Case(
        "histogram",
        f"1 Mi, {bins} bins",
        {OURS: count_bins, TORCH: lambda: results[TORCH].copy_(torch.bincount(x, minlength=bins))},
        results,
        lambda: torch.bincount(x, minlength=bins).double(),
        tolerance=0,
        at_least=1.0,
    )


def _moved(
    kernel: str,
    own_call: Callable[[torch.Tensor], object],
    torch_call: Callable[[torch.Tensor], object],
    expected: torch.Tensor,
    at_least: float,
) -> Case:
    results = {name: torch.empty(ELEMENTS) for name in (OURS, TORCH)}
    contenders = {OURS: lambda: own_call(results[OURS]), TORCH: lambda: torch_call(results[TORCH])}
    return Case(kernel, "1 Mi", contenders, results, expected.double, tolerance=0, at_least=at_least)
