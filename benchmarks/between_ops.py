"""Benchmark of a kernel between torch's ops, on the threads that blockdsl chooses, on torch's, and on its own.

torch's workers spin for a while after each of its ops, and occupy the cores on which other threads would wake up. Each
round times a vector add in three situations on each of three sets of threads, in alternating order, and every second
round after pauses, too. Ratios are taken within a round, to the time on our own threads without ops of torch; right
after an op of torch, to the time right after our kernel on the same tensors, which leaves the caches in the same state.
No environment variables are set. Torch's addition before the kernel is timed, too, because it shows whether another
program occupies a core.

The rounds are distributed over three processes. The location of code in memory differs between processes, and changes
the time of a launch with cold caches by 0.2 microseconds ("Producing wrong data without doing anything obviously
wrong!", Mytkowicz et al., 2009).
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import torch

from benchmarks.report import aligned, seconds
from benchmarks.timing import Spread
from blockdsl import _runtime
from examples.vector_add import vector_add

ELEMENTS = tuple(1 << power for power in (16, 18, 20, 22, 24))
BLOCK = 1024
ALONE, AFTER_OURS, AFTER_TORCH, AFTER_A_PAUSE = "alone", "right after ours", "right after a torch op", "after a pause"
HELD_TO = {ALONE: 1.05, AFTER_OURS: 1.05, AFTER_TORCH: 1.15, AFTER_A_PAUSE: 1.05}
"""The largest ratio of the time on the chosen threads to that on our own threads."""
WORKERS = ("own", "torch", "auto")

PAUSE = 40e-3
"""Longer than torch's workers spin."""
SECONDS = 20e-3
"""The approximate time of a situation in a round, without pauses."""
PROCESSES = 3
ROUNDS_BETWEEN_PAUSES = 2
"""Pauses take most of the time, and times without pauses vary more between rounds."""


@dataclass(frozen=True)
class Row:
    elements: int
    situation: str
    took: dict[str, Spread]
    """Ratios by the name of the threads."""
    ratio: Spread
    torch: Spread | None
    """The time of torch's addition right before the kernel on the chosen threads."""

    @property
    def held(self) -> bool:
        return self.ratio.median <= HELD_TO[self.situation]

    def json(self) -> dict[str, object]:
        return asdict(self) | {"held": self.held}


def seconds_of(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def timed(launch: Callable[[], object], previous: Callable[[], object] | None, count: int) -> tuple[float, float]:
    """Returns the medians of ``count`` launches, and of the call before each: NaN without one."""
    time.sleep(PAUSE)
    for _ in range(3):  # Wakes the threads, and fills their caches.
        launch()
    launch_times, previous_times = [], []
    for _ in range(count):
        if previous is not None:
            previous_times.append(seconds_of(previous))
        launch_times.append(seconds_of(launch))
    return statistics.median(launch_times), statistics.median(previous_times or [math.nan])


def after_pauses(launch: Callable[[], object]) -> dict[str, float]:
    """Returns medians by the name of the threads, measured alternately: on some machines the time of a launch after a
    pause changes by half every few seconds."""
    by_workers: dict[str, list[float]] = {workers: [] for workers in WORKERS}
    for round_number in range(9):
        for workers in WORKERS[:: -1 if round_number % 2 else 1]:
            _runtime.set_workers(workers)
            time.sleep(PAUSE)
            by_workers[workers].append(seconds_of(launch))
    return {workers: statistics.median(times) for workers, times in by_workers.items()}


def timed_rounds(elements: int, rounds: int) -> tuple[dict[tuple[str, str], list[float]], list[float]]:
    """Returns the times of launches in each round, by situation and threads, and of torch's additions before those on
    the chosen threads."""
    torch.manual_seed(0)
    x, y = torch.randn(elements), torch.randn(elements)
    out, other_out = torch.empty_like(x), torch.empty_like(x)
    launch = vector_add[(-(-elements // BLOCK),)]

    def launch_ours() -> object:
        return launch(x, y, out, elements, BLOCK=BLOCK)

    def torch_add() -> object:
        return torch.add(x, y, out=other_out)

    def launch_to_other() -> object:
        return launch(x, y, other_out, elements, BLOCK=BLOCK)

    previous = {AFTER_OURS: launch_to_other, AFTER_TORCH: torch_add}
    launch_ours()
    torch_add()
    assert torch.equal(out, other_out)
    count = max(5, min(100, int(SECONDS / (seconds_of(launch_ours) + seconds_of(torch_add)))))
    by_situation: dict[tuple[str, str], list[float]] = {(s, w): [] for s in HELD_TO for w in WORKERS}
    found_torch = []
    try:
        for number in range(rounds):
            for situation, workers in list(by_situation)[:: -1 if number % 2 else 1]:
                if situation != AFTER_A_PAUSE:
                    _runtime.set_workers(workers)
                    launches, ops = timed(launch_ours, previous.get(situation), count)
                    by_situation[situation, workers].append(launches)
                    if (situation, workers) == (AFTER_TORCH, "auto"):
                        found_torch.append(ops)
            if number % ROUNDS_BETWEEN_PAUSES == 0:
                for workers, median in after_pauses(launch_ours).items():
                    by_situation[AFTER_A_PAUSE, workers].append(median)
    finally:
        _runtime.set_workers("auto")
    return by_situation, found_torch


def measure(elements: int, rounds: int) -> Iterator[Row]:
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        share = elements, math.ceil(rounds / PROCESSES)
        results = pool.starmap(timed_rounds, [share] * PROCESSES, chunksize=1)
    combined = {key: [time for times, _ in results for time in times[key]] for key in results[0][0]}
    found_torch = [time for _, times in results for time in times]
    for situation in HELD_TO:
        base = combined[AFTER_OURS if situation == AFTER_TORCH else situation, "own"]
        ratio = Spread.of([took / own_time for took, own_time in zip(combined[situation, "auto"], base, strict=True)])
        torch_took = Spread.of(found_torch) if situation == AFTER_TORCH else None
        yield Row(elements, situation, {w: Spread.of(combined[situation, w]) for w in WORKERS}, ratio, torch_took)


def rows(rounds: int) -> list[Row]:
    return [row for elements in ELEMENTS for row in measure(elements, rounds)]


def table(rows: list[Row]) -> str:
    headings = ["vector add", "launched", "torch's op", "own threads", "torch's", "as chosen"]
    headings += ["chosen / own (quartiles)", "at most", "held"]
    lines = [
        [f"{row.elements >> 10} Ki", row.situation, seconds(row.torch.median) if row.torch else "",
         *(seconds(row.took[w].median) for w in WORKERS),
         f"{row.ratio.median:.2f} ({row.ratio.low:.2f} to {row.ratio.high:.2f})", f"{HELD_TO[row.situation]:.2f}",
         "yes" if row.held else "NO"]
        for row in rows
    ]  # fmt: skip
    return aligned(headings, lines, {1, 8})


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.between_ops", description=__doc__)
    parser.add_argument("elements", nargs="*", type=int, help=f"{', '.join(map(str, ELEMENTS))} if none are given")
    parser.add_argument("--rounds", type=int, default=45)
    options = parser.parse_args()
    policy = os.environ.get("OMP_WAIT_POLICY", "not set")
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, OMP_WAIT_POLICY {policy}")
    for elements in options.elements or ELEMENTS:
        print(table(list(measure(elements, options.rounds))), flush=True)


if __name__ == "__main__":
    main()
