"""Run by test_interrupted_launches.py: Ctrl-C at different moments of a launch."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

import torch

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def increment(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


class Foreign:
    """A tensor of a library without DLPack, with one slow method."""

    dtype, device = "torch.float32", "cpu"

    def __init__(self, array: torch.Tensor, slow: str) -> None:
        self.array, self.slow = array, slow

    def _take_long(self, name: str) -> None:
        if name == self.slow:
            time.sleep(5)

    def data_ptr(self) -> int:
        self._take_long("data_ptr")
        return self.array.data_ptr()

    @property
    def shape(self) -> torch.Size:
        self._take_long("shape")
        return self.array.shape

    def stride(self) -> tuple[int, ...]:
        self._take_long("stride")
        return self.array.stride()

    def element_size(self) -> int:
        self._take_long("element_size")
        return 4


class Length:
    """A size of a grid whose conversion to an integer is slow."""

    def __index__(self) -> int:
        time.sleep(5)
        return 4


# A background job of a shell starts with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

x, y = torch.arange(4096, dtype=torch.float32), torch.zeros(4096)


def slow_grid(meta: Any) -> tuple[int]:
    time.sleep(5)
    return (4,)


def slow_hook(*args: object, **kwargs: object) -> None:
    time.sleep(5)


def launch(case: str) -> None:
    """Interrupts code of the user's, which otherwise takes five seconds."""
    source: Any = Foreign(x, case) if case in ("data_ptr", "shape", "stride", "element_size") else x
    grids: dict[str, Any] = {"grid": slow_grid, "index": (Length(),)}
    grid = grids.get(case, (4,))
    if case == "hook":
        increment.add_pre_run_hook(slow_hook)
    try:
        increment[grid](source, y, 4096, BLOCK=1024)
    finally:
        increment.pre_run_hooks.clear()


def interrupt_after(seconds: float) -> None:
    def wait() -> None:
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()


def check() -> None:
    y.zero_()
    increment[(4,)](x, y, 4096, BLOCK=1024)
    assert torch.equal(y, x + 1)


def cold(seconds: float) -> None:
    """Runs in a child, whose first launch it is."""
    child = os.fork()
    if child == 0:
        status = 9
        try:
            try:
                interrupt_after(seconds)
                launch("")
                time.sleep(5)
            except KeyboardInterrupt:
                check()
                status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"after {seconds} s: {status}"


if sys.argv[1] == "cold":
    for milliseconds in range(0, 300, 12):
        cold(milliseconds / 1000)
else:
    check()
    for case in sys.argv[1:]:
        interrupt_after(0.1)
        start = time.monotonic()
        try:
            launch(case)
            raise SystemExit(f"{case}: no KeyboardInterrupt")
        except KeyboardInterrupt:
            assert time.monotonic() - start < 4, case
        check()
print("right")
