"""Scaling of CPU kernels with threads, compared with the scaling of the machine's limits.

Sixteen cores may have less than sixteen times the speed of one: clocks drop, cores may be hyperthreads used by other
programs, and on a shared machine their speed changes every second. So the limit, a loop without synchronization, is
measured on the same number of threads in every round next to the kernel; its scaling is the best possible one. The same
number of single-threaded processes that run the kernel concurrently is the second reference.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from typing import Any

import torch

from benchmarks import limits
from benchmarks.report import aligned, seconds
from benchmarks.timing import Spread, calls_per_second, threads
from examples.layer_norm import layer_norm
from examples.matmul import matmul
from examples.softmax import softmax

WARM_SECONDS = 20e-3
ROUNDS_APART = 5

Work = tuple[str, str, Callable[[], object], Callable[[int], float]]


def works() -> Iterator[Work]:
    """Yields name, size, one run, and a function of the least seconds on a number of threads."""
    # The smallest has a program for each of sixteen threads, and its matrices fit into a core's private cache, so that
    # processes share only the machine's power.
    small, blocks_of_all = [(64, 64, 64)], [(64, 64, 64), (64, 128, 64), (128, 128, 128)]
    for n, blocks in ((256, small), (1024, blocks_of_all), (2048, blocks_of_all)):
        a, b, c = torch.randn(n, n), torch.randn(n, n), torch.empty(n, n)
        for block in blocks:
            yield (
                "matmul", f"{n}, blocks {' x '.join(map(str, block))}",
                lambda a=a, b=b, c=c, block=block: matmul(a, b, None, c, block),  # type: ignore[misc]
                lambda count, n=n: 2 * n**3 / limits.measure_flops(count, 1),  # type: ignore[misc]
            )  # fmt: skip
    # In the caches of all cores together, and much larger.
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


def calls_of_processes(call: Callable[[], object], count: int, seconds: float = 0.3) -> float:
    """Returns the total calls per second of ``count`` single-threaded processes, each with its own outputs."""
    context = multiprocessing.get_context("fork")
    barrier, rates = context.Barrier(count), context.SimpleQueue()

    def run() -> None:
        with threads(1):
            for _ in range(2):
                call()
            barrier.wait(timeout=60)
            rates.put(calls_per_second(call, seconds))

    processes = [context.Process(target=run) for _ in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise RuntimeError(f"of {count} processes, {sum(process.exitcode != 0 for process in processes)} failed")
    # The pipe's buffer holds all numbers.
    total: float = sum(rates.get() for _ in processes)
    return total


def measure(rounds: int = 15) -> Iterator[dict[str, Any]]:
    """Measures one thread and all cores alternately."""
    cores = len(os.sched_getaffinity(0))
    for name, size, call, limit in works():
        seconds: dict[int, list[float]] = {1: [], cores: []}
        bound: dict[int, list[float]] = {1: [], cores: []}
        for _ in range(rounds):
            for count, times in seconds.items():
                with threads(count):
                    call()  # Wakes the threads, idle while the limit was measured, and fills their caches.
                    times.append(1 / calls_per_second(call, WARM_SECONDS))
                bound[count].append(limit(count))
        scale, limits_scale = (
            Spread.of([serial / parallel for serial, parallel in zip(times[1], times[cores], strict=True)])
            for times in (seconds, bound)
        )
        processes = Spread.of(
            [calls_of_processes(call, cores) / calls_of_processes(call, 1) for _ in range(ROUNDS_APART)]
        )
        share = {n: Spread.of([b / t for b, t in zip(bound[n], seconds[n], strict=True)]).median for n in seconds}
        yield {
            "kernel": name, "size": size, "cores": cores, "one": Spread.of(seconds[1]).median,
            "many": Spread.of(seconds[cores]).median, "speedup": [scale.low, scale.median, scale.high],
            "of_limit_one": share[1], "of_limit": share[cores],
            "limits_speedup": [limits_scale.low, limits_scale.median, limits_scale.high],
            "processes": [processes.low, processes.median, processes.high],
        }  # fmt: skip


def table(results: list[dict[str, Any]]) -> str:
    cores = results[0]["cores"]
    headings = [
        "kernel",
        "size",
        "1 thread",
        "of the limit",
        f"{cores} threads",
        "of the limit",
        "speed-up (quartiles)",
        "the limit's",
        f"{cores} processes",
    ]
    return aligned(headings, [_cells(row) for row in results], {0, 1})


def _cells(row: dict[str, Any]) -> list[str]:
    serial, parallel = row["one"], row["many"]
    return [
        str(row["kernel"]), str(row["size"]), seconds(serial), f"{100 * row['of_limit_one']:.0f} %",
        seconds(parallel), f"{100 * row['of_limit']:.0f} %", _times(row["speedup"]), _times(row["limits_speedup"]),
        _times(row["processes"]),
    ]  # fmt: skip


def _times(spread: list[float]) -> str:
    low, median, high = spread
    return f"{median:.1f} x ({low:.1f} to {high:.1f})"


def main() -> None:
    torch.manual_seed(0)
    print(table(list(measure())))


if __name__ == "__main__":
    main()
