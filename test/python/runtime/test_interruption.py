"""Tests of Ctrl-C in programs that run long or forever: the handler runs, and the process continues."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

import blockdsl
import blockdsl.language as tl

pytestmark = pytest.mark.usefixtures("workers")

HERE = Path(__file__).parent

# A tenth of a second is guaranteed; more is allowed for machines that build at the same time.
BOUND = 1.0


ONE_PROGRAM = ["scalar for", "scalar steps", "nested", "called", "lanes", "lanes while"]
CASES = [
    *itertools.product(["while", "small", "threads", "last", "waiting", "for"], "13"),
    *((case, "1") for case in ONE_PROGRAM),
]


@pytest.mark.parametrize(("case", "threads"), CASES)
def test_a_program_without_end_is_interrupted(case: str, threads: str) -> None:
    command = [sys.executable, str(HERE / "endless_program.py"), case]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "BLOCKDSL_NUM_THREADS": threads}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        killer = threading.Timer(60, process.kill)
        killer.start()
        assert process.stdout is not None
        for _ in range(2):
            assert process.stdout.readline() == "launching\n"
            time.sleep(0.4)
            process.send_signal(signal.SIGINT)
            at = time.time()
            fields = process.stdout.readline().split()
            assert fields[:1] == ["interrupted"]
            assert float(fields[1]) - at < BOUND
        rest = process.stdout.read()
        killer.cancel()
    assert rest == "right afterwards\n"
    assert process.returncode == 0


@blockdsl.jit
def count(out, iterations):
    done = 0
    while done < iterations:
        done += 1 + 0 * tl.load(out, volatile=True)
        tl.store(out, done)
    tl.store(out + 1, done)


def test_handlers_that_do_not_raise_change_nothing() -> None:
    heard: list[float] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(time.time()))
    try:
        out = torch.zeros(2, dtype=torch.int32)
        count[(1,)](out, 10)
        signal.setitimer(signal.ITIMER_REAL, 0.03, 0.03)
        started, iterations = time.time(), 1_000_000
        while not heard or heard[-1] < started:
            out.zero_()
            started = time.time()
            count[(1,)](out, iterations)
            assert out.tolist() == [iterations, iterations]
            iterations *= 4
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@blockdsl.jit
def mix(out, iterations):
    mixed = tl.program_id(0) * 0
    for iteration in range(iterations):
        mixed = (mixed ^ iteration) * 1664525 + 1013904223
    tl.store(out + tl.program_id(0), mixed)


def test_launch_estimated_as_small_requests_threads() -> None:
    """The poll in its first programs releases the GIL, before the launch calls Python for torch's number of threads."""
    out = torch.zeros(16, dtype=torch.int32)
    # All are odd, so that there is one kernel, with a known cost.
    mix[(1,)](out, 3)
    started, iterations = time.perf_counter(), 1_000_001
    mix[(1,)](out, iterations)
    iterations = int(0.1 * iterations / (time.perf_counter() - started)) | 1
    mix[(1,)](out, iterations)
    expected = [int(out[0])] * 16
    for few in range(3, 83, 2):
        mix[(16,)](out, few)
    mix[(16,)](out, iterations)
    assert out.tolist() == expected


def test_launches_of_other_threads_go_on() -> None:
    """Only the first thread runs signal handlers; launches of other threads run to their end."""

    def raises(number: int, frame: object) -> None:
        raise TimeoutError("enough")

    results: list[list[int]] = []

    def other() -> None:
        out = torch.zeros(2, dtype=torch.int32)
        count[(1,)](out, 20_000_000)
        results.append(out.tolist())

    count[(1,)](torch.zeros(2, dtype=torch.int32), 10)
    before = signal.signal(signal.SIGALRM, raises)
    thread = threading.Thread(target=other)
    try:
        thread.start()
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(TimeoutError, match="enough"):
            count[(1,)](torch.zeros(2, dtype=torch.int32), 2**31 - 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        thread.join()
    assert results == [[20_000_000, 20_000_000]]


def test_a_child_of_fork_is_interrupted_too() -> None:
    count[(1,)](torch.zeros(2, dtype=torch.int32), 10)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            count[(1,)](torch.zeros(2, dtype=torch.int32), 2**31 - 1)
            os._exit(1)
        except KeyboardInterrupt:
            os._exit(42)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
