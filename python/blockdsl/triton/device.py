"""Triton's interface of a device: properties, events, caches."""

from __future__ import annotations

import functools
import os
import platform
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from blockdsl.backends.properties import CPUProperties
from blockdsl.tracebacks import border
from blockdsl.triton import kernel_binary
from blockdsl.triton.kernel_launcher import KernelLauncher

_ENOUGH = 1 << 30
"""The reported limit of threads per program; a CPU has no real one."""

_CACHE_BYTES = 64 << 20
"""Bytes written between two repetitions of a timed call, more than a core's own caches hold."""


class Event:
    """A point in time. Launches are synchronous, so it is recorded immediately."""

    def __init__(self, enable_timing: bool = False, **_: object) -> None:
        self._at = 0.0

    def record(self, stream: object = None) -> None:
        self._at = time.perf_counter()

    def wait(self, stream: object = None) -> None:
        """Does nothing: launches are synchronous."""

    def synchronize(self) -> None:
        """Does nothing: launches are synchronous."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Returns the milliseconds until another event."""
        return 1e3 * (end._at - self._at)


class Interface:
    """The functions of ``torch.cuda`` that host code calls: those below, and those of ``torch.cpu``."""

    Event = Event

    @staticmethod
    def synchronize(device: object = None) -> None:
        """Does nothing: launches are synchronous."""

    @staticmethod
    def current_device() -> int:
        return 0

    @staticmethod
    def device_count() -> int:
        return 1

    @staticmethod
    def is_available() -> bool:
        return True

    @staticmethod
    def get_device_name(device: object = None) -> str:
        return platform.processor() or platform.machine()

    @staticmethod
    def get_device_capability(device: object = None) -> tuple[int, int]:
        """Returns (0, 0): a CPU has no compute capability."""
        return 0, 0

    def get_device_properties(self, device: object = None) -> SimpleNamespace:
        """Returns the CPU's properties under the names of ``torch.cuda.get_device_properties``."""
        known = CPUProperties()
        major, minor = self.get_device_capability()
        return SimpleNamespace(
            name=self.get_device_name(),
            major=major,
            minor=minor,
            total_memory=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            multi_processor_count=known["multiprocessor_count"],
            warp_size=known["warpSize"],
            regs_per_multiprocessor=known["max_num_regs"],
            shared_memory_per_block=known["max_shared_mem"],
            shared_memory_per_block_optin=known["max_shared_mem"],
            shared_memory_per_multiprocessor=known["max_shared_mem"],
            max_threads_per_multi_processor=_ENOUGH,
            clock_rate=known["sm_clock_rate"],
        )

    def __getattr__(self, name: str) -> Any:
        import torch

        return getattr(torch.cpu, name)


class Utilities:
    """Triton's ``utils``: a device's properties, and loading of binaries."""

    @staticmethod
    def get_device_properties(device: object = None) -> Mapping[str, int]:
        """Returns the properties under a GPU's names; see ``CPUProperties``."""
        return CPUProperties()

    @staticmethod
    @border
    def load_binary(name: str, binary: bytes, shared: int, device: object) -> tuple[Any, Any, int, int, int]:
        """Returns module and function, which are the same object, registers, spills, and the most threads."""
        function = KernelLauncher(kernel_binary.unpack(binary))
        return function, function, function.kernel.n_regs, function.kernel.n_spills, _ENOUGH

    @staticmethod
    def unload_module(module: object) -> None:
        """Does nothing: modules are reference counted."""

    @staticmethod
    def set_printf_fifo_size(size: int) -> None:
        """Does nothing: output of kernels is not buffered."""


@functools.cache
def timing_cache() -> Any:
    """Returns memory that is written between two repetitions to evict a call's data from the caches."""
    import torch

    return torch.empty(_CACHE_BYTES // 4, dtype=torch.int32)
