"""Tests of threads, forks, signals and failed assertions while a kernel runs."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest
import torch
from handwritten import check, follow, make_add, spin, wait_until

from benchmarks.memory import growth
from blockdsl import _runtime
from blockdsl.errors import KernelAssertionError

pytestmark = pytest.mark.usefixtures("workers")

HERE = Path(__file__).parent


def test_eight_threads_launch() -> None:
    add = make_add()
    wrong = []

    def work(seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        for repeat in range(200):
            n = 64 * (1 + repeat % 40)
            x, y = torch.rand(n, generator=generator), torch.rand(n, generator=generator)
            out = torch.empty(n)
            add[(n // 64,)](x, y, out, n)
            if not torch.equal(out, x + y):
                wrong.append((seed, repeat))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_programs_may_wait_for_earlier_ones(threads: int) -> None:
    """Few programs, because if threads outnumber cores, each may share a core with waiting threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for programs in (1, 2, 7, 40, 41):
            for _ in range(10):
                marks = torch.zeros(programs, dtype=torch.int32)
                follow[(programs,)](marks, 2**31 - 1)
                assert marks.eq(1).all()
    finally:
        torch.set_num_threads(before)


def test_caller_with_busy_workers_runs_programs_in_order() -> None:
    counts = torch.zeros(8, dtype=torch.int32)
    spin[(8,)](counts, 100_000)  # Compiles, and measures the cost of a program.
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        follow[(40,)](torch.zeros(40, dtype=torch.int32), 2**31 - 1)
        occupied = threading.Thread(target=lambda: spin[(8,)](counts, 100_000_000))
        occupied.start()
        wait_until(lambda: not occupied.is_alive(), seconds=0.05)
        marks = torch.zeros(40, dtype=torch.int32)
        follow[(40,)](marks, 2**31 - 1)
        occupied.join()
        assert marks.eq(1).all()
    finally:
        torch.set_num_threads(before)


def test_other_threads_run_during_a_launch() -> None:
    counts = torch.zeros(4000, dtype=torch.int32)
    spin[(4000,)](counts, 100)  # Compiles.
    ticks = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    wait_until(lambda: len(ticks) > 2)
    start = time.monotonic()
    spin[(4000,)](counts, 100_000)
    end = time.monotonic()
    done.set()
    thread.join()
    during = [at for at in ticks if start < at < end]
    assert len(during) > (end - start) * 1000 / 20


def launch_in_child(result: object) -> None:
    counts = torch.zeros(4000, dtype=torch.int32)
    spin[(4000,)](counts, 1000)
    result.put(bool((counts == 1).all()))


def test_a_forked_child_launches() -> None:
    counts = torch.zeros(4000, dtype=torch.int32)
    spin[(4000,)](counts, 1000)
    context = multiprocessing.get_context("fork")
    result = context.Queue()
    children = [context.Process(target=launch_in_child, args=(result,)) for _ in range(4)]
    for child in children:
        child.start()
    assert [result.get(timeout=20) for _ in children] == [True] * 4
    for child in children:
        child.join(20)
        assert child.exitcode == 0
    spin[(4000,)](counts, 1000)
    assert bool((counts == 2).all())


def test_ctrl_c_is_handled_within_100_ms() -> None:
    command = [sys.executable, str(HERE / "interrupted_program.py")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "launching\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        at = time.time()
        fields = process.stdout.readline().split()
        rest = process.stdout.read()
    assert fields[0] == "interrupted", fields
    assert float(fields[1]) - at < 0.1
    assert rest == "right afterwards\n"
    assert process.returncode == 0


def test_a_handler_that_raises_something_else() -> None:
    def handler(number: int, frame: object) -> None:
        raise TimeoutError("enough")

    counts = torch.zeros(2000, dtype=torch.int32)
    spin[(2000,)](counts, 100)

    def launch_for_long() -> None:
        for _ in range(1000):
            spin[(2000,)](counts, 100_000)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(TimeoutError, match="enough"):
            launch_for_long()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_failed_assertion_is_raised() -> None:
    x = torch.zeros(1000, dtype=torch.int32)
    check[(1000,)](x, 5)
    x[700] = 7
    for _ in range(3):
        with pytest.raises(KernelAssertionError) as caught:
            check[(1000,)](x, 5)
        assert caught.value.message == "x < limit failed in program (700, 0, 0) of kernel 'check'"
    x[700] = 0
    check[(1000,)](x, 5)


def test_number_of_threads() -> None:
    try:
        _runtime.set_num_threads(3)
        assert _runtime.get_num_threads() == 3
        _runtime.set_num_threads(0)
        assert _runtime.get_num_threads() == torch.get_num_threads()
        for wrong in (-1, 5000):
            with pytest.raises(ValueError, match="1 to 4096 threads"):
                _runtime.set_num_threads(wrong)
        with pytest.raises(TypeError):
            _runtime.set_num_threads("3")
    finally:
        _runtime.set_num_threads(0)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_results_do_not_depend_on_the_number_of_threads(threads: int) -> None:
    counts = torch.zeros(5000, dtype=torch.int32)
    try:
        _runtime.set_num_threads(threads)
        for _ in range(10):
            spin[(5000,)](counts, 200)
    finally:
        _runtime.set_num_threads(0)
    assert bool((counts == 10).all())


def test_kernels_are_freed() -> None:
    add = make_add()
    x, out = torch.ones(64), torch.zeros(64)
    kernel = weakref.ref(add[(1,)](x, x, out, 64))
    function = weakref.ref(add)
    assert kernel() is not None
    del add
    gc.collect()
    assert function() is None
    assert kernel() is None


def test_launches_do_not_leak() -> None:
    add = make_add()
    x, out = torch.ones(64), torch.zeros(64)
    shared = (1,)

    def launch() -> None:
        for _ in range(1000):
            add[shared](x, x, out, 64)

    launch()
    references = [sys.getrefcount(value) for value in (add, x, out, shared)]
    launch()
    assert [sys.getrefcount(value) for value in (add, x, out, shared)] == references
    grown = growth(launch)
    assert max(each.heap for each in grown) < 5000
    assert max(each.blocks for each in grown) < 100
