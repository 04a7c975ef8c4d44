"""One thread against many: how the CPU kernels scale, how the machine's own limits do, and how close both are.

No kernel that is bound by it scales further than the limit does, divided by the share of the limit that one thread
reaches: cores may be two threads of one core, or slow down together. How fast they are changes from second to second on
a machine that others share, so the limit is measured in every round, right beside the kernel.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import torch

from benchmarks import limits
from benchmarks.report import aligned, seconds
from benchmarks.timing import Spread, calls_per_round, seconds_per_call, threads
from examples.layer_norm import layer_norm
from examples.matmul import matmul
from examples.softmax import softmax

Work = tuple[str, str, Callable[[], object], Callable[[int], float]]


def works() -> Iterator[Work]:
    """Name, size, one run, and the seconds this machine needs at least on a number of threads."""
    for n in (1024, 2048):
        a, b, c = torch.randn(n, n), torch.randn(n, n), torch.empty(n, n)
        for block in ((64, 64, 64), (64, 128, 64), (128, 128, 128)):
            yield (
                "matmul", f"{n}, blocks {' x '.join(map(str, block))}",
                lambda a=a, b=b, c=c, block=block: matmul(a, b, None, c, block),  # type: ignore[misc]
                lambda count, n=n: 2 * n**3 / limits.measure_flops(count, 1),  # type: ignore[misc]
            )  # fmt: skip
    # In the caches of all cores together, and far beyond them.
    for rows in (1024, 16384):
        x, weight, bias = torch.randn(rows, 1024), torch.randn(1024), torch.randn(1024)
        out = torch.empty_like(x)
        norm = (torch.empty_like(x), torch.empty(rows), torch.empty(rows))
        limit = lambda count, x=x: limits.measure_streaming(x.numel(), 1, count, 1)  # noqa: E731
        yield "softmax", f"{rows} x 1024", lambda x=x, out=out: softmax(x, out), limit  # type: ignore[misc]
        yield (
            "layer norm", f"{rows} x 1024",
            lambda x=x, norm=norm, w=weight, b=bias: layer_norm(x, w, b, 1e-5, norm),  # type: ignore[misc]
            limit,
        )  # fmt: skip


def measure(rounds: int = 15) -> Iterator[dict[str, Any]]:
    """One thread and all cores in turns."""
    cores = len(os.sched_getaffinity(0))
    for name, size, call, limit in works():
        found: dict[int, list[float]] = {1: [], cores: []}
        bound: dict[int, list[float]] = {1: [], cores: []}
        calls = {}
        for count in found:
            with threads(count):
                calls[count] = calls_per_round(call)
        for _ in range(rounds):
            for count, times in found.items():
                with threads(count):
                    times.append(seconds_per_call(call, calls[count]))
                bound[count].append(limit(count))
        scale, most = (
            Spread.of([one / many for one, many in zip(t[1], t[cores], strict=True)]) for t in (found, bound)
        )
        share = {n: Spread.of([b / t for b, t in zip(bound[n], found[n], strict=True)]).median for n in found}
        yield {
            "kernel": name, "size": size, "cores": cores, "one": Spread.of(found[1]).median,
            "many": Spread.of(found[cores]).median, "speedup": [scale.low, scale.median, scale.high],
            "of_limit_one": share[1], "of_limit": share[cores],
            "limit_speedup": [most.low, most.median, most.high],
        }  # fmt: skip


def table(found: list[dict[str, Any]]) -> str:
    cores = found[0]["cores"]
    headings = [
        "kernel",
        "size",
        "1 thread",
        "of the limit",
        f"{cores} threads",
        "of the limit",
        "speed-up (quartiles)",
        "the limit's own speed-up",
    ]
    return aligned(headings, [_cells(row) for row in found], {0, 1})


def _cells(row: dict[str, Any]) -> list[str]:
    low, median, high = row["speedup"]
    one, many = row["one"], row["many"]
    return [
        str(row["kernel"]), str(row["size"]), seconds(one), f"{100 * row['of_limit_one']:.0f} %",
        seconds(many), f"{100 * row['of_limit']:.0f} %", f"{median:.1f} x ({low:.1f} to {high:.1f})",
        "{1:.1f} x ({0:.1f} to {2:.1f})".format(*row["limit_speedup"]),
    ]  # fmt: skip


def main() -> None:
    torch.manual_seed(0)
    print(table(list(measure())))


if __name__ == "__main__":
    main()
