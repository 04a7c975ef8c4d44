"""Run by test_allocation_failures.py, below failing_allocations.c: each allocation of a launch fails once.

After every launch that raised MemoryError, the next one must give the right values.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime

faults = ctypes.PyDLL(os.environ["LD_PRELOAD"])
faults.fail_after.argtypes = [ctypes.c_long]
faults.fail_after.restype = ctypes.c_long

SIZE = 1 << 14
MOST = 20_000


@blockdsl.jit
def increment(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@blockdsl.jit
def increment_pair(pair, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(pair[1] + at, tl.load(pair[0] + at, mask=at < n) + 1, mask=at < n)


@blockdsl.jit
def sorted_twice(x, y, BLOCK: tl.constexpr):
    """A kernel with scratch memory."""
    at = tl.arange(0, BLOCK)
    tl.store(y + at, tl.sort(tl.sort(tl.load(x + at), descending=True)) + 1)


class Foreign:
    """A tensor of a library without DLPack, which has only methods."""

    def __init__(self, array: torch.Tensor) -> None:
        self.array = array
        self.dtype = "torch.float32"
        self.device = "cpu"
        self.shape = array.shape

    def data_ptr(self) -> int:
        return self.array.data_ptr()

    def stride(self) -> tuple[int, ...]:
        return self.array.stride()

    def element_size(self) -> int:
        return 4


x = torch.arange(SIZE, dtype=torch.float32)
y = torch.zeros(SIZE)
expected = (x + 1).clone()

Case = Callable[[Callable[[], object]], object]
"""Launches. The first argument is called before, and sets the allocation that fails."""


def launch(kernel: Any, *args: object, grid: int = SIZE // 1024, **options: object) -> Case:
    def run(arm: Callable[[], object]) -> None:
        arm()
        kernel[(grid,)](*args, **options)

    return run


def forgetting(kernel: Any, case: Case) -> Case:
    def run(arm: Callable[[], object]) -> None:
        kernel._forget()
        kernel._kernels.clear()
        case(arm)

    return run


def on_new_thread(case: Case, *, after: Case | None = None) -> Case:
    """Launches on a thread whose only launch so far is ``after``."""

    def run(arm: Callable[[], object]) -> None:
        errors: list[BaseException] = []

        def work() -> None:
            if after:
                after(lambda: None)
                y.copy_(x)
            try:
                case(arm)
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if errors:
            raise errors[0]

    return run


def stock() -> Case:
    import stock as kernels

    return launch(kernels.increment, x, y, SIZE, BLOCK=1024)


def repeated() -> Case:
    def launcher(x: torch.Tensor, y: torch.Tensor, n: int, *, stream: int) -> None:
        increment[(16,)](x, y, n, BLOCK=1024)

    def learn(x: torch.Tensor, y: torch.Tensor, n: int) -> tuple[object, ...]:
        return (torch.Tensor, torch.Tensor, int), (..., ..., n), (16, 1, 1), (0, 1, 2, (1024,))

    again = _runtime.CachedLaunch(launcher, learn, increment, (), ())

    def run(arm: Callable[[], object]) -> None:
        arm()
        again(x, y, SIZE, stream=0)

    return run


TENSORS = launch(increment, x, y, SIZE, BLOCK=1024)
PAIR = launch(increment_pair, (x, y), SIZE, BLOCK=1024)

CASES: dict[str, Callable[[], Case]] = {
    "warm": lambda: TENSORS,
    "arrays": lambda: launch(increment, x.numpy(), y.numpy(), SIZE, BLOCK=1024),
    "foreign": lambda: launch(increment, Foreign(x), Foreign(y), SIZE, BLOCK=1024),
    "pair": lambda: PAIR,
    "same": lambda: launch(increment, y, y, SIZE, BLOCK=1024),
    "thread": lambda: on_new_thread(TENSORS),
    "scratch": lambda: on_new_thread(launch(sorted_twice, x, y, grid=1, BLOCK=SIZE), after=TENSORS),
    "disk": lambda: forgetting(increment, TENSORS),
    "pair_disk": lambda: forgetting(increment_pair, PAIR),
    "stock": stock,
    "repeated": repeated,
}


def disarm() -> bool:
    """Returns true if an allocation of the launch has failed. The last failure may be one of this call."""
    try:
        return faults.fail_after(-1) == 0
    except (MemoryError, ctypes.ArgumentError):
        return False


def check() -> None:
    assert torch.equal(y, expected), "wrong values"


def attempt(case: Case, calls: int) -> tuple[bool, bool]:
    """Launches with an allocation that fails, and then again, which has to give the right values. Returns whether an
    allocation failed, and whether MemoryError was raised."""
    has_raised = False
    y.copy_(x)
    try:
        case(lambda: faults.fail_after(calls))
    except MemoryError:
        has_raised = True
    finally:
        has_failed = disarm()
    y.copy_(x)
    case(lambda: None)
    check()
    return has_failed, has_raised


def attempt_in_child(case: Case, calls: int) -> tuple[bool, bool]:
    child = os.fork()
    if child == 0:
        status = 99
        try:
            has_failed, has_raised = attempt(case, calls)
            status = has_failed + 2 * has_raised
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) < 4, f"allocation {calls}: the process ended with {status}"
    return bool(status >> 8 & 1), bool(status >> 8 & 2)


def needs_scratch() -> bool:
    return sorted_twice.warmup(x, y, BLOCK=SIZE, grid=(1,)).scratch_bytes > 0


def main(name: str, way: str) -> None:
    case = CASES[name]()
    assert name != "scratch" or needs_scratch()
    if way == "warm":
        for _ in range(4):
            y.copy_(x)
            case(lambda: None)
            check()
    # Python's own parser raises SystemError if it has no memory.
    assert increment.source.cache_key and increment_pair.source.cache_key
    attempted = attempt if way == "warm" else attempt_in_child
    raised = 0
    for calls in range(MOST):
        has_failed, has_raised = attempted(case, calls)
        raised += has_raised
        if not has_failed:
            print(f"{name} {way} {calls} {raised}")
            return
    raise SystemExit(f"{name}: no launch without an allocation that fails")


for argument in sys.argv[1:]:
    main(*argument.split("-"))
