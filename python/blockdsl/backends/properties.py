"""Device properties of the host CPU, under the names that Triton gives a GPU's.

Host code divides by them, so none is zero. ``driver.py`` has the properties of GPUs, from torch.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from blockdsl import _runtime

_REGISTERS = 1 << 16
"""The registers of a multiprocessor. It is a GPU's number: host code divides it by a kernel's registers, warps and 32
threads, and a core's real number would give zero programs."""

_LEAST_CACHE = 1 << 18
_CHANNEL_BITS = 64
"""The width of one channel of DDR memory."""

_COPIED_BYTES = 32 << 20
"""Bytes copied by each thread: more than its share of the last-level cache on most machines."""


class CPUProperties(Mapping[str, int]):
    """The properties by name. Values are computed when read: the memory clock is measured.

    Keys:
        multiprocessor_count: The threads that a launch uses.
        max_shared_mem: The bytes of a core's own cache, at least 256 KiB.
        max_num_regs: 65536.
        warpSize: 1.
        sm_clock_rate: A core's clock in kHz.
        mem_clock_rate: The clock in kHz at which memory of ``mem_bus_width`` has the measured bandwidth: Triton's
            ``get_dram_gbps`` gives the latter.
        mem_bus_width: 64 bits.
    """

    def __getitem__(self, name: str) -> int:
        return _PROPERTIES[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(_PROPERTIES)

    def __len__(self) -> int:
        return len(_PROPERTIES)

    def __repr__(self) -> str:
        return repr(dict(self))


@functools.cache
def core_cache_bytes() -> int:
    """Returns the size of a core's level 2 cache that the system reports, in bytes."""
    return max(_LEAST_CACHE, _number("cache/index2/size", r"(\d+)K") << 10)


@functools.cache
def core_clock_khz() -> int:
    """Returns a core's highest clock, or its current one; 1 GHz if the system reports neither."""
    return (
        _number("cpufreq/cpuinfo_max_freq", r"(\d+)") or 1000 * _number("/proc/cpuinfo", r"cpu MHz\s*: (\d+)") or 10**6
    )


def _number(path: str, pattern: str) -> int:
    """Returns the first match of ``pattern`` as a number in a file about the first CPU; 0 if there is none."""
    try:
        found = re.search(pattern, Path("/sys/devices/system/cpu/cpu0", path).read_text())
    except OSError:
        return 0
    return int(found[1]) if found else 0


@functools.cache
def memory_bytes_per_second() -> float:
    """Measures the rate at which all threads together read and write memory while they copy. Takes some 50 ms, once."""
    import numpy as np

    threads = _runtime.get_num_threads()
    count = _COPIED_BYTES // 8
    pairs = [(np.zeros(count), np.ones(count)) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:

        def seconds() -> float:
            start = time.perf_counter()
            list(pool.map(lambda pair: np.copyto(*pair), pairs))  # Releases the GIL.
            return time.perf_counter() - start

        return 2 * _COPIED_BYTES * threads / min(seconds() for _ in range(3))


def _memory_clock_khz() -> int:
    # Triton assumes two transfers per cycle.
    return max(1, int(memory_bytes_per_second() / (2 * _CHANNEL_BITS // 8) / 1e3))


_PROPERTIES: Mapping[str, Callable[[], int]] = {
    "multiprocessor_count": _runtime.get_num_threads,
    "max_shared_mem": core_cache_bytes,
    "max_num_regs": lambda: _REGISTERS,
    "warpSize": lambda: 1,
    "sm_clock_rate": core_clock_khz,
    "mem_clock_rate": _memory_clock_khz,
    "mem_bus_width": lambda: _CHANNEL_BITS,
}
