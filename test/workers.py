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

    how: str
    where: str
    said: str
    trace: str = ""

    @property
    def kind(self) -> str:
        """``crash``, ``hang``, or ``error`` where Python raised something."""
        return "error" if self.trace else "hang" if self.how == "hang" else "crash"

    def __str__(self) -> str:
        return f"{self.how} in {self.where}" + (f": {self.said}" if self.said else "")


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
        where = ["the beginning"]

        def say(step: str, where: list[str] = where) -> None:
            where[0] = step
            pipe.send(("where", step))

        try:
            outcome = task(item, say)
        except Exception as error:
            outcome = Died(type(error).__name__, where[0], str(error), traceback.format_exc())
        pipe.send(("done", outcome))
        if getattr(outcome, "worn", False):
            return


class Worker:
    """A process, its item, and the time since it works on that."""

    def __init__(self, task: Task) -> None:
        self.errors = tempfile.NamedTemporaryFile("r", suffix=".stderr", errors="replace")
        self.pipe, theirs = _fork.Pipe()
        self.process = _fork.Process(target=_serve, args=(theirs, task, self.errors.name), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, item: Any) -> None:
        self.item, self.where, self.since = item, "the beginning", time.monotonic()
        self.pipe.send(item)

    def outcome(self, timeout: float) -> Any:
        """Returns the outcome of the item; None while it runs."""
        try:
            while self.pipe.poll():
                what, value = self.pipe.recv()
                if what == "done":
                    return value
                self.where = value
        except (EOFError, ConnectionResetError):
            self.process.join()
            code = self.process.exitcode or 0
            return Died(signal.Signals(-code).name if code < 0 else f"exit status {code}", self.where, self._said())
        if time.monotonic() - self.since > timeout:
            self.end()
            return Died("hang", self.where, f"over {timeout:.0f} s")
        return None

    def _said(self) -> str:
        self.errors.seek(0)
        lines = [line.strip() for line in self.errors.read(100000).splitlines() if line.strip()]
        telling = [line for line in lines if "Assertion" in line or "LLVM ERROR" in line]
        return (telling or lines[-1:] or [""])[0][:400]

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def spread(task: Task, items: Iterable[Any], jobs: int, timeout: float) -> Iterator[tuple[Any, Any]]:
    """Runs a task on items in several processes; yields each item with its outcome, perhaps `Died`, as they complete.

    An outcome that is ``worn`` is the last of its process.
    """
    gc.collect()
    gc.freeze()
    left = iter(items)
    workers: list[Worker] = []

    def employ(worker: Worker | None) -> None:
        for item in left:
            worker = worker or Worker(task)
            worker.give(item)
            workers.append(worker)
            return
        if worker:
            worker.end()

    try:
        for _ in range(jobs):
            employ(None)
        while workers:
            wait([worker.pipe for worker in workers], timeout=1.0)
            for worker in list(workers):
                outcome = worker.outcome(timeout)
                if outcome is None:
                    continue
                item = worker.item
                workers.remove(worker)
                goes_on = worker.process.is_alive() and not getattr(outcome, "worn", False)
                if not goes_on:
                    worker.end()
                employ(worker if goes_on else None)
                yield item, outcome
    finally:
        gc.unfreeze()
        for worker in workers:
            worker.end()


def alone(task: Task, item: Any, timeout: float) -> Any:
    """Returns the outcome of one item, in a process of its own."""
    [(_, outcome)] = spread(task, [item], 1, timeout)
    return outcome
