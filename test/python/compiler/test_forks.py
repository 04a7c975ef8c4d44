"""Tests of children that are forked while other threads compile, load or hold locks: none hangs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl
from blockdsl import forks
from blockdsl.backends import cpu
from blockdsl.backends.worker import Pool
from blockdsl.compiler import cache, compile_thread, file_locks
from blockdsl.compiler.asynchronous import FutureKernel

KEY = cache.digest("some", "key")


def make() -> Any:
    """Returns a kernel that this process has not compiled."""

    @blockdsl.jit
    def doubled(x_ptr, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(x_ptr + at, 2 * tl.load(x_ptr + at))

    return doubled


def launches() -> bool:
    x = np.ones(8, np.float32)
    make()[(1,)](x, BLOCK=8)
    return bool((x == 2).all())


def in_child(work: Callable[[], object]) -> int:
    """Returns the child's status: 0 if ``work`` returned true, a signal's number if it hung."""
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(30)
            os._exit(0 if work() else 3)
        finally:
            os._exit(4)
    return os.waitpid(child, 0)[1]


@contextmanager
def on_a_thread(block: AbstractContextManager[Any]) -> Iterator[threading.Event]:
    """Enters a context on another thread, and leaves it when the event is set, or at the end."""
    inside, leave = threading.Event(), threading.Event()

    def work() -> None:
        with block:
            inside.set()
            leave.wait(60)

    thread = threading.Thread(target=work)
    thread.start()
    assert inside.wait(60)
    try:
        yield leave
    finally:
        leave.set()
        thread.join()


@pytest.mark.parametrize(
    ("mode", "where", "children"), [("compile", "here", 8), ("load", "here", 8), ("compile", "process", 2)]
)
def test_children_of_a_busy_process_launch(mode: str, where: str, children: int, tmp_path: Path) -> None:
    environment = {"BLOCKDSL_CACHE": str(int(mode == "load")), "BLOCKDSL_CACHE_DIR": str(tmp_path / "kernels"),
                   "BLOCKDSL_COMPILE": where, "PYTHONPATH": os.pathsep.join(sys.path)}  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("forking_program.py")), mode, str(children)], check=False,
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (f"{children} of {children}\n", "")


def test_a_fork_waits_for_a_compilation() -> None:
    with on_a_thread(forks.delayed_forks()) as leave:
        threading.Timer(0.3, leave.set).start()
        assert in_child(leave.is_set) == 0


def test_a_fork_does_not_wait_for_its_own_thread() -> None:
    with forks.delayed_forks():
        begin = time.monotonic()
        assert in_child(launches) == 0
        assert time.monotonic() - begin < forks.PATIENCE


def test_fork_wait_for_a_compilation_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "PATIENCE", 0.05)
    with (
        on_a_thread(forks.delayed_forks()),
        pytest.warns(RuntimeWarning, match="forked while a kernel is being compiled"),
    ):
        assert in_child(launches) == 0


def test_a_compilation_waits_for_a_fork() -> None:
    """Without a limit, a thread that compiles one kernel after another would block forks forever."""
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            with forks.delayed_forks():
                time.sleep(0.001)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [in_child(lambda: True) for _ in range(5)] == [0] * 5
    stopped.set()
    for thread in threads:
        thread.join()


def test_llvm_lock_is_free_in_child(monkeypatch: pytest.MonkeyPatch) -> None:
    launches()
    lock = cpu._llvm().ffi.lib._lock
    with on_a_thread(lock) as leave:
        threading.Timer(0.3, leave.set).start()
        assert in_child(lambda: leave.is_set() and launches()) == 0
    monkeypatch.setattr(forks, "PATIENCE", 0.05)
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    with on_a_thread(lock):
        assert in_child(launches) == 0
    assert launches()


def test_locks_of_forking_thread_stay_held() -> None:
    lock = forks.renewed_lock()
    with lock:
        assert in_child(lambda: lock._is_owned()) == 0
    with on_a_thread(lock):
        assert not lock.acquire(blocking=False)
        assert in_child(lambda: lock.acquire(blocking=False)) == 0


def test_locks_are_reinitialized_in_child() -> None:
    tuner = blockdsl.autotune([blockdsl.Config({})], key=[])(make())
    with on_a_thread(tuner._searching), on_a_thread(Pool(Path())._lock):
        assert in_child(lambda: tuner._searching.acquire(blocking=False)) == 0
    pool = Pool(Path())
    with on_a_thread(pool._lock):
        assert in_child(lambda: pool._lock.acquire(blocking=False)) == 0


class Slow:
    entered, leave = threading.Event(), threading.Event()

    def __init__(self, is_slow: bool) -> None:
        self.is_slow = is_slow

    @forks.cached_property
    def value(self) -> list[bool]:
        """A value."""
        if self.is_slow:
            self.entered.set()
            self.leave.wait(60)
        return [self.is_slow]


def test_a_cached_property_has_no_lock() -> None:
    slow = Slow(True)
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    slow.entered.wait(60)
    try:
        assert in_child(lambda: Slow(False).value == [False]) == 0
    finally:
        slow.leave.set()
        thread.join()
    assert slow.value is slow.value
    assert Slow.value.__doc__ == "A value."


def test_functools_has_no_cached_properties_here() -> None:
    """Before Python 3.12 they have a lock."""
    package = Path(forks.__file__).parent
    uses = re.compile(r"@functools\.cached_property|from functools import .*cached_property")
    assert [path.name for path in package.rglob("*.py") if uses.search(path.read_text())] == []


def test_child_does_not_hold_cache_lock(tmp_path: Path) -> None:
    disk = cache.DiskCache(tmp_path / "kernels")
    with on_a_thread(disk.locked(KEY)) as leave:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)  # Stays alive until the parent has checked it.
            os._exit(0)
        os.close(reading)
        leave.set()
    begin = time.monotonic()
    with disk.locked(KEY):
        assert time.monotonic() - begin < file_locks.PATIENCE
    os.close(writing)
    assert os.waitpid(child, 0)[1] == 0


def test_fork_while_holding_cache_lock(tmp_path: Path) -> None:
    """The child closes its file only once, because its number may be reused."""
    disk = cache.DiskCache(tmp_path / "kernels")

    def leave() -> bool:
        lock.__exit__(None, None, None)
        return os.fstat(other).st_ino == os.stat(tmp_path).st_ino

    lock = disk.locked(KEY)
    lock.__enter__()
    before = set(file_locks._open)
    child = os.fork()
    if child == 0:
        other = os.open(tmp_path, os.O_RDONLY)
        os._exit(0 if other in before | {other} and leave() else 3)
    assert os.waitpid(child, 0)[1] == 0
    lock.__exit__(None, None, None)


HOLDER = """
import os, signal, sys
from pathlib import Path
from blockdsl.compiler.cache import DiskCache
with DiskCache(Path(sys.argv[1])).locked(sys.argv[2]):
    print("held", flush=True)
    os.kill(os.getpid(), int(sys.argv[3]))
"""


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
def test_lock_of_stopped_or_dead_process(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_locks, "PATIENCE", 0.2)
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "kernels"), KEY, str(int(number))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        os.waitid(os.P_PID, holder.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with cache.DiskCache(tmp_path / "kernels").locked(KEY):
                pass
        holder.kill()
    expected = [f"the lock '.lock-{KEY[:2]}' of the cache is held for more than 0 s, by process {holder.pid}"]
    assert [str(each.message).partition(";")[0] for each in caught] == (expected if number == signal.SIGSTOP else [])


def test_waits_for_lock_of_running_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_locks, "PATIENCE", 0.05)
    disk = cache.DiskCache(tmp_path / "kernels")
    with on_a_thread(disk.locked(KEY)) as leave:
        threading.Timer(0.4, leave.set).start()
        with disk.locked(KEY):
            assert leave.is_set()


def test_fork_while_parent_thread_compiles() -> None:
    leave = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        kernel = FutureKernel(pool.submit(leave.wait, 60), lambda: "made in the child")
        try:
            assert in_child(lambda: kernel.result() == "made in the child") == 0
        finally:
            leave.set()
        assert kernel.result() is True
        assert in_child(lambda: kernel.result() is True) == 0


def test_fork_within_async_compile_mode() -> None:
    with ThreadPoolExecutor(1) as pool, blockdsl.AsyncCompileMode(pool):
        kernel = make()
        assert in_child(lambda: kernel.warmup(np.ones(8, np.float32), BLOCK=8, grid=(1,)).name == "doubled") == 0


def test_signal_handler_forks_during_llvm_compilation() -> None:
    """The child continues where its parent waited for a thread."""
    parent = os.getpid()
    children: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda *_: children.append(os.fork()))
    status = 4
    try:

        def work() -> str:
            if os.getpid() == parent:
                os.kill(parent, signal.SIGUSR1)
                time.sleep(0.3)
            return "done"

        result = compile_thread.on_compile_thread(work)
        status = 0 if result == "done" else 3
    finally:
        if os.getpid() != parent:
            os._exit(status)
        signal.signal(signal.SIGUSR1, before)
    assert len(children) == 1
    assert os.waitpid(children[0], 0)[1] == 0
