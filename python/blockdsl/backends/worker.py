"""Worker processes for compilations: started on demand, reused, and ended when idle.

A failed assertion in C++, of Triton or with ``BLOCKDSL_COMPILE=process`` of LLVM, then ends the worker only, and the
output of a compilation is separate from the program's.
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


class Died(Exception):  # noqa: N818 - an event, converted to an error later
    """The process ended instead of answering.

    Attributes:
        how: A signal's name, or the exit status.
        output: Its last output.
        was_idle: It had been idle long enough to end by itself.
    """

    def __init__(self, code: int, output: str) -> None:
        self.how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        self.output = output
        self.was_idle = code == 0
        super().__init__(self.how)


class Worker:
    """A process that answers one request at a time, with the module at ``answers``."""

    def __init__(self, answers: Path) -> None:
        if not sys.executable:
            raise TargetError("compilers have a Python of their own, and this program does not say where its Python is",
                              hint="set sys.executable")  # fmt: skip
        self.output = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        child_reads, self._requests = _pipe("wb")
        self._replies, child_writes = _pipe("rb")
        try:
            self.process = subprocess.Popen(  # noqa: S603 - ourselves
                [sys.executable, worker_program.__file__, str(child_reads), str(child_writes), str(answers)],
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=self.output,
                pass_fds=(child_reads, child_writes),
                # Ctrl-C in a terminal must reach this process only, which ends the worker and its assembler.
                start_new_session=True,
            )
        finally:
            os.close(child_reads)
            os.close(child_writes)
        worker_program.send(self._requests, {"path": [str(entry) for entry in sys.path]})

    def ask(self, request: Mapping[str, Any], text: bytes) -> tuple[dict[str, Any], bytes, str]:
        """Sends a request. Returns the reply, its bytes, and the output of the process meanwhile.

        Raises:
            Died: The process ended.
        """
        start = os.fstat(self.output.fileno()).st_size
        reply = None
        # Triton leaves temporary files behind if the assembler fails or its process ends.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
            try:
                worker_program.send(self._requests, {**request, "directory": directory}, text)
                reply = worker_program.receive(self._replies)
            except BrokenPipeError:
                pass
            except BaseException:
                # Probably Ctrl-C: the next request must not read this one's reply.
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
        """Ends the process and its children."""
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for stream in (self._requests, self._replies, self.output):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _pipe(mode: str) -> tuple[Any, Any]:
    """Returns both ends of a pipe, reading end first: the end of mode ``mode`` as a file, the other as a descriptor."""
    reading, writing = os.pipe()
    return (reading, os.fdopen(writing, mode)) if mode == "wb" else (os.fdopen(reading, mode), writing)


class Pool:
    """Idle processes of one kind, by the circumstances of their start; at most one per compiling thread."""

    def __init__(self, answers: Path) -> None:
        self._answers = answers
        self._lock = forks.renewed_lock()
        self._idle: list[tuple[object, Worker]] = []
        self._owner = os.getpid()

    def take(self, circumstances: object) -> Worker:
        """Returns an idle process that was started in the same circumstances, or a new one."""
        with self._lock:
            if self._owner != os.getpid():
                # A forked child must not use its parent's workers.
                self._idle, self._owner = [], os.getpid()
            for at, (key, worker) in enumerate(self._idle):
                if key == circumstances:
                    del self._idle[at]
                    if worker.is_alive():
                        return worker
                    worker.end()
                    break
        return self.start()

    def start(self) -> Worker:
        """Starts a process."""
        return Worker(self._answers)

    def give_back(self, circumstances: object, worker: Worker) -> None:
        """Keeps a process for the next request, and ends processes of other circumstances."""
        with self._lock:
            ended = [idle for key, idle in self._idle if key != circumstances or not idle.is_alive()]
            self._idle = [(key, idle) for key, idle in self._idle if idle not in ended]
            self._idle.append((circumstances, worker))
        for idle in ended:
            idle.end()

    def end(self) -> None:
        """Ends the idle processes."""
        with self._lock:
            idle, self._idle = self._idle, []
            if self._owner == os.getpid():
                for _, worker in idle:
                    worker.end()
