"""Runs cases in worker processes, so that a case that ends its process or hangs fails alone."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

Case = TypeVar("Case")
Result = TypeVar("Result")


_BEGUN = "begun"
"""A worker's message when it starts a case; the time before is that of starting a Python process."""


PATIENCE = 5
"""How many times its limit a case may take in wall-clock time, because other programs may use the processors."""


class Lost(Exception):
    """The worker ended or was killed before it had a result."""


def _serve(work: Callable[[Case], Result], pipe: multiprocessing.connection.Connection) -> None:
    while (case := pipe.recv()) is not None:
        pipe.send(_BEGUN)
        pipe.send((work(case[0]),))


def _processor_seconds(process: int) -> float:
    """Returns the processor time of a process with all its threads; 0 where the system does not provide it."""
    try:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class _Worker(Generic[Case, Result]):
    def __init__(self, work: Callable[[Case], Result]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, child_end = context.Pipe()
        self.process = context.Process(target=_serve, args=(work, child_end), daemon=True)
        self.process.start()
        child_end.close()
        self.number = -1
        self.since = self.used = 0.0

    def give(self, number: int, case: Case) -> None:
        self.number, self.since = number, float("inf")
        self.pipe.send((case,))

    def has_begun(self) -> None:
        self.since, self.used = time.monotonic(), _processor_seconds(self.process.pid or 0)

    def is_late(self, limit: float) -> bool:
        """Returns true if the case has used that much processor time, or far more wall-clock time."""
        elapsed = time.monotonic() - self.since
        if elapsed < limit:
            return False
        return elapsed > PATIENCE * limit or _processor_seconds(self.process.pid or 0) - self.used > limit

    def end(self) -> int | None:
        self.process.kill()
        self.process.join()
        return self.process.exitcode


def run_cases(
    work: Callable[[Case], Result], cases: Sequence[Case], jobs: int, limit: float
) -> Iterator[tuple[int, Result | Lost]]:
    """Yields (number of the case, result) as they complete; ``limit`` is in processor seconds, for one case."""
    waiting = list(enumerate(cases))[::-1]
    workers: list[_Worker[Case, Result]] = []
    try:
        while waiting or any(worker.number >= 0 for worker in workers):
            while waiting and len(workers) < jobs:
                workers.append(_Worker(work))
            for worker in workers:
                if worker.number < 0 and waiting:
                    worker.give(*waiting.pop())
            busy = [worker for worker in workers if worker.number >= 0]
            multiprocessing.connection.wait([worker.pipe for worker in busy], timeout=0.5)
            for worker in busy:
                number = worker.number
                if worker.pipe.poll():
                    try:
                        message = worker.pipe.recv()
                        if message == _BEGUN:
                            worker.has_begun()
                            continue
                        result: Result | Lost = message[0]
                    except (EOFError, ConnectionResetError):
                        worker.process.join(5)
                        result = Lost(f"the process ended with code {worker.process.exitcode}")
                elif worker.is_late(limit):
                    elapsed = time.monotonic() - worker.since
                    worker.end()
                    result = Lost(f"no result after {elapsed:.0f} s")
                else:
                    continue
                worker.number = -1
                if isinstance(result, Lost):
                    workers.remove(worker)
                yield number, result
    finally:
        for worker in workers:
            worker.end()
