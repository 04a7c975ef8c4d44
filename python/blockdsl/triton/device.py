"""The device as programs ask Triton for it: properties, events, caches."""

from __future__ import annotations

import functools
import time
from typing import Any

from blockdsl import _runtime
from blockdsl.triton import parcel
from blockdsl.triton.launching import KernelLauncher

_ENOUGH = 1 << 30
"""Threads and bytes, of which a CPU has no limit that a kernel could meet."""

_CACHE_BYTES = 64 << 20
"""What is written between two repetitions of a timed call: more than a core's own caches hold."""


class Event:
    """A moment. Launches have ended when they return, so it is now."""

    def __init__(self, enable_timing: bool = False, **_: object) -> None:
        self._at = 0.0

    def record(self, stream: object = None) -> None:
        self._at = time.perf_counter()

    def wait(self, stream: object = None) -> None:
        """There is nothing to wait for."""

    def synchronize(self) -> None:
        """There is nothing to wait for."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds until another moment."""
        return 1e3 * (end._at - self._at)


class Interface:
    """The part of ``torch.cuda`` that Triton's own functions use."""

    Event = Event

    @staticmethod
    def synchronize(device: object = None) -> None:
        """Launches have ended when they return."""

    @staticmethod
    def current_device() -> int:
        return 0

    @staticmethod
    def device_count() -> int:
        return 1

    @staticmethod
    def is_available() -> bool:
        return True


class Utilities:
    """What Triton calls ``utils``: a device's properties, and loading of binaries."""

    @staticmethod
    def get_device_properties(device: object = None) -> dict[str, int]:
        """As of a GPU: a program per thread at a time, and memory without a limit."""
        return {
            "max_shared_mem": _ENOUGH,
            "max_num_regs": _ENOUGH,
            "multiprocessor_count": _runtime.get_num_threads(),
            "warpSize": 1,
            "sm_clock_rate": 0,
            "mem_clock_rate": 0,
            "mem_bus_width": 0,
        }

    @staticmethod
    def load_binary(name: str, binary: bytes, shared: int, device: object) -> tuple[Any, Any, int, int, int]:
        """Module and function, which are one here, registers, spills, and how many threads a program may have."""
        function = KernelLauncher(parcel.unpack(binary))
        return function, function, 0, 0, _ENOUGH

    @staticmethod
    def unload_module(module: object) -> None:
        """It goes with the last who holds it."""

    @staticmethod
    def set_printf_fifo_size(size: int) -> None:
        """What kernels print is written at once."""


@functools.cache
def timing_cache() -> Any:
    """Memory that is written between two repetitions, so that none finds the caches as the last one left them."""
    import torch

    return torch.empty(_CACHE_BYTES // 4, dtype=torch.int32)
