"""Processes that run programs. One that ends, or does not, is a finding like a wrong value.

Each is forked from a process that has imported everything and run nothing, so a new one costs milliseconds.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from .judge import Difference, Verdict

Task = Callable[[Any, Callable[[str], None]], Any]

_fork = multiprocessing.get_context("fork")


def _serve(pipe: Connection, task: Task, errors: str) -> None:
    """A worker's life: takes an item, says what it does, gives the outcome."""
    descriptor = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            outcome = task(item, lambda name: pipe.send(("phase", name)))
        except Exception:
            outcome = Verdict(Difference("error", traceback.format_exc()))
        pipe.send(("done", outcome))
        if outcome.worn:
            return


class Worker:
    """A process, what it does now, and since when."""

    def __init__(self, task: Task) -> None:
        self.errors = tempfile.NamedTemporaryFile("r", prefix="fuzz-", suffix=".stderr", errors="replace")
        self.pipe, theirs = _fork.Pipe()
        self.process = _fork.Process(target=_serve, args=(theirs, task, self.errors.name), daemon=True)
        self.process.start()
        theirs.close()
        self.item: Any = None
        self.phase = ""
        self.since = time.monotonic()

    def give(self, item: Any) -> None:
        self.item, self.phase, self.since = item, "begin", time.monotonic()
        self.pipe.send(item)

    def outcome(self) -> Any:
        """What came of the item, or None if it goes on."""
        try:
            while self.pipe.poll():
                what, value = self.pipe.recv()
                if what == "done":
                    return value
                self.phase = value
        except (EOFError, ConnectionResetError):
            self.process.join()
            code = self.process.exitcode or 0
            name = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            said = self.said()
            return Verdict(Difference("crash", f"{name} in phase '{self.phase}'{': ' + said if said else ''}"))
        return None

    def said(self) -> str:
        """What LLVM wrote before it ended the process."""
        self.errors.seek(0)
        lines = [line.strip() for line in self.errors.read(20000).splitlines() if line.strip()]
        telling = [line for line in lines if "Assertion" in line or "LLVM ERROR" in line]
        return (telling or lines or [""])[0][:400]

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.errors.close()


def spread(task: Task, items: Iterable[Any], jobs: int, timeout: float) -> Iterator[tuple[Any, Any]]:
    """Runs a task on items in several processes; gives items with outcomes as they come."""
    left = iter(items)
    workers: list[Worker] = []
    try:
        for item in left:
            workers.append(Worker(task))
            workers[-1].give(item)
            if len(workers) == jobs:
                break
        while workers:
            wait([worker.pipe for worker in workers], timeout=1.0)
            for place, worker in enumerate(workers):
                outcome = worker.outcome()
                if outcome is None and time.monotonic() - worker.since > timeout:
                    outcome = Verdict(Difference("hang", f"over {timeout:.0f} s in phase '{worker.phase}'"))
                    worker.end()
                if outcome is None:
                    continue
                done = worker.item
                ended = outcome.worn or not worker.process.is_alive() or worker.pipe.closed
                following = next(left, None)
                if ended or following is None:
                    if not worker.pipe.closed:
                        worker.end()
                    if following is not None:
                        workers[place] = Worker(task)
                    else:
                        workers[place] = None  # type: ignore[call-overload]
                if following is not None:
                    workers[place].give(following)
                yield done, outcome
            workers = [worker for worker in workers if worker is not None]
    finally:
        for worker in workers:
            if worker is not None and not worker.pipe.closed:
                worker.end()


def alone(task: Task, item: Any, timeout: float) -> Any:
    """Runs a task once, in a process of its own."""
    for _, outcome in spread(task, [item], 1, timeout):
        return outcome
    return None
