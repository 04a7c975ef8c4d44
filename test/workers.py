"""Processes that take one item after another.

A process that ends by itself, or hangs, is a finding. Each is forked from a process that has imported the necessary
modules but run nothing, so a new one takes milliseconds, and its garbage collector ignores the objects that exist
already.
"""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

Task = Callable[[Any, Callable[[str], None]], Any]
"""Runs an item; calls the given function with its current phase. Returns the outcome."""

_fork = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Died:
    """A worker ended, or was ended, before it had an outcome.

    Attributes:
        how: The signal's name, ``hang``, or Python's exception.
        where: The last phase of the task.
        said: The most informative line of its standard error.
        trace: The location of Python's exception.
    """

    reason: str
    phase: str
    message: str
    trace: str = ""

    @property
    def kind(self) -> str:
        """``crash``, ``hang``, or ``error`` where Python raised something."""
        return "error" if self.trace else "hang" if self.reason == "hang" else "crash"

    def __str__(self) -> str:
        return f"{self.reason} in {self.phase}" + (f": {self.message}" if self.message else "")


def _serve(pipe: Connection, task: Task, errors: str) -> None:
    descriptor = os.open(errors, os.O_WRONLY | os.O_APPEND)
    os.dup2(descriptor, 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.disable()  # The process that waits for a crash reports it.
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        os.ftruncate(descriptor, 0)
        phase = ["the beginning"]

        def report(step: str, phase: list[str] = phase) -> None:
            phase[0] = step
            pipe.send(("where", step))

        try:
            outcome = task(item, report)
        except Exception as error:
            outcome = Died(type(error).__name__, phase[0], str(error), traceback.format_exc())
        pipe.send(("done", outcome))
        if getattr(outcome, "worn", False):
            return


class Worker:
    """A process, its item, and the time since it works on that."""

    def __init__(self, task: Task) -> None:
        self.errors = tempfile.NamedTemporaryFile("r", suffix=".stderr", errors="replace")
        self.pipe, child_end = _fork.Pipe()
        self.process = _fork.Process(target=_serve, args=(child_end, task, self.errors.name), daemon=True)
        self.process.start()
        child_end.close()

    def give(self, item: Any) -> None:
        self.item, self.phase, self.since = item, "the beginning", time.monotonic()
        self.pipe.send(item)

    def outcome(self, timeout: float) -> Any:
        """Returns the outcome of the item; None while it runs."""
        try:
            while self.pipe.poll():
                event, value = self.pipe.recv()
                if event == "done":
                    return value
                self.phase = value
        except (EOFError, ConnectionResetError):
            self.process.join()
            code = self.process.exitcode or 0
            return Died(signal.Signals(-code).name if code < 0 else f"exit status {code}", self.phase, self._message())
        if time.monotonic() - self.since > timeout:
            self.end()
            return Died("hang", self.phase, f"over {timeout:.0f} s")
        return None

    def _message(self) -> str:
        self.errors.seek(0)
        lines = [line.strip() for line in self.errors.read(100000).splitlines() if line.strip()]
        diagnostics = [line for line in lines if "Assertion" in line or "LLVM ERROR" in line]
        return (diagnostics or lines[-1:] or [""])[0][:400]

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run_all(task: Task, items: Iterable[Any], jobs: int, timeout: float) -> Iterator[tuple[Any, Any]]:
    """Runs a task on items in several processes; yields each item with its outcome, perhaps `Died`, as they complete.

    An outcome that is ``worn`` is the last of its process.
    """
    gc.collect()
    gc.freeze()
    remaining = iter(items)
    workers: list[Worker] = []

    def start_next(worker: Worker | None) -> None:
        for item in remaining:
            worker = worker or Worker(task)
            worker.give(item)
            workers.append(worker)
            return
        if worker:
            worker.end()

    try:
        for _ in range(jobs):
            start_next(None)
        while workers:
            wait([worker.pipe for worker in workers], timeout=1.0)
            for worker in list(workers):
                outcome = worker.outcome(timeout)
                if outcome is None:
                    continue
                item = worker.item
                workers.remove(worker)
                is_reusable = worker.process.is_alive() and not getattr(outcome, "worn", False)
                if not is_reusable:
                    worker.end()
                start_next(worker if is_reusable else None)
                yield item, outcome
    finally:
        gc.unfreeze()
        for worker in workers:
            worker.end()


def run_alone(task: Task, item: Any, timeout: float) -> Any:
    """Returns the outcome of one item, in a process of its own."""
    [(_, outcome)] = run_all(task, [item], 1, timeout)
    return outcome
