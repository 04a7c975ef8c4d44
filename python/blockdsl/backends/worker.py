"""Processes that compile: started when a kernel has to be compiled, used again, and gone when nobody asks.

A process of its own because C++ with assertions, Triton's always and LLVM's where it is asked for, ends its process on
some modules, and because what it prints can then be told from everybody else's output.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blockdsl import forks
from blockdsl.backends import worker_program
from blockdsl.errors import TargetError


class Died(Exception):  # noqa: N818 - not an error of ours: what happened to the process
    """The process ended instead of answering.

    Attributes:
        how: A signal's name, or the exit status.
        output: Its last words.
        was_idle: Nobody had asked it for so long that it was about to end anyway.
    """

    def __init__(self, code: int, output: str) -> None:
        self.how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        self.output = output
        self.was_idle = code == 0
        super().__init__(self.how)


class Worker:
    """One process, which answers one request at a time, with the module at ``answers``."""

    def __init__(self, answers: Path) -> None:
        if not sys.executable:
            raise TargetError("compilers have a Python of their own, and this program does not say where its Python is",
                              hint="set sys.executable")  # fmt: skip
        self.output = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        theirs, self._requests = _pipe("wb")
        self._replies, ours = _pipe("rb")
        try:
            self.process = subprocess.Popen(  # noqa: S603 - ourselves
                [sys.executable, worker_program.__file__, str(theirs), str(ours), str(answers)],
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=self.output,
                pass_fds=(theirs, ours),
                # Ctrl-C in a terminal is for us, who end it and the assembler that it may have started.
                start_new_session=True,
            )
        finally:
            os.close(theirs)
            os.close(ours)
        worker_program.send(self._requests, {"path": [str(entry) for entry in sys.path]})

    def ask(self, request: Mapping[str, Any], text: bytes) -> tuple[dict[str, Any], bytes, str]:
        """The reply, its bytes, and what was printed meanwhile.

        Raises:
            Died: The process ended.
        """
        start = os.fstat(self.output.fileno()).st_size
        reply = None
        # Triton leaves files behind where the assembler fails, and where its process ends.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
            try:
                worker_program.send(self._requests, {**request, "directory": directory}, text)
                reply = worker_program.receive(self._replies)
            except BrokenPipeError:
                pass
            except BaseException:
                # Ctrl-C, most likely: the reply must not be taken for that to the next request.
                self.end()
                raise
        if reply is None:
            raise Died(self.process.wait(), self._printed(start))
        header, product = reply
        return header, product, self._printed(start)

    def _printed(self, start: int) -> str:
        size = os.fstat(self.output.fileno()).st_size
        return os.pread(self.output.fileno(), size - start, start).decode(errors="replace")

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        """Ends the process, and what it has started."""
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for stream in (self._requests, self._replies, self.output):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _pipe(mode: str) -> tuple[Any, Any]:
    """Both ends, reading first; the one of our mode is a file, the other a descriptor for the process."""
    reading, writing = os.pipe()
    return (reading, os.fdopen(writing, mode)) if mode == "wb" else (os.fdopen(reading, mode), writing)


class Pool:
    """Idle processes of one kind by what they were started with; as many as threads compile at a time."""

    def __init__(self, answers: Path) -> None:
        self._answers = answers
        self._lock = forks.renewed_lock()
        self._idle: list[tuple[object, Worker]] = []
        self._owner = os.getpid()

    def take(self, circumstances: object) -> Worker:
        """An idle process started in the same circumstances, or a new one."""
        with self._lock:
            if self._owner != os.getpid():
                # A child of the process that started them must not answer in its place.
                self._idle, self._owner = [], os.getpid()
            for at, (met, worker) in enumerate(self._idle):
                if met == circumstances:
                    del self._idle[at]
                    if worker.is_alive():
                        return worker
                    worker.end()
                    break
        return self.start()

    def start(self) -> Worker:
        """A new process."""
        return Worker(self._answers)

    def give_back(self, circumstances: object, worker: Worker) -> None:
        """Keeps a process for the next request, in place of those that are of no more use."""
        with self._lock:
            useless = [one for met, one in self._idle if met != circumstances or not one.is_alive()]
            self._idle = [(met, one) for met, one in self._idle if one not in useless]
            self._idle.append((circumstances, worker))
        for one in useless:
            one.end()

    def end(self) -> None:
        """Ends the idle ones."""
        with self._lock:
            idle, self._idle = self._idle, []
            if self._owner == os.getpid():
                for _, worker in idle:
                    worker.end()
