"""Growth of the memory in use while a function runs many times.

Memory is taken once for many reasons: a queue of the driver fills, an allocator gets pages, code runs for the first
time. What is lost with each turn is lost again in the next ones, so everything is measured twice in a row.
"""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from collections.abc import Callable
from dataclasses import astuple, dataclass

import torch


class _Heap(ctypes.Structure):
    """What glibc's mallinfo2 tells."""

    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _names.split()]


_libc = ctypes.CDLL(None)
_libc.mallinfo2.restype = _Heap


@dataclass(frozen=True)
class Memory:
    """What is in use.

    Attributes:
        host: The resident memory of this process, in bytes.
        heap: What of it somebody has allocated with malloc and not freed: a leak of C or C++ shows here.
        blocks: Blocks of Python's allocator: a leak of Python objects shows here.
        device: The memory of the GPU, in bytes.
    """

    host: int
    heap: int
    blocks: int
    device: int

    @staticmethod
    def now() -> Memory:
        with open("/proc/self/statm", encoding="ascii") as file:
            host = int(file.read().split()[1]) * resource.getpagesize()
        heap = _libc.mallinfo2()
        free, total = torch.cuda.mem_get_info() if torch.cuda.is_available() else (0, 0)
        return Memory(host, int(heap.uordblks + heap.hblkhd), sys.getallocatedblocks(), total - free)

    def since(self, before: Memory) -> Memory:
        return Memory(*(after - earlier for after, earlier in zip(astuple(self), astuple(before), strict=True)))


def growth(launch_all: Callable[[], None]) -> list[Memory]:
    """How memory grows while ``launch_all`` runs for the first time, and while it runs once more."""
    # Measuring takes memory the first time, too.
    Memory.now()
    gc.collect()
    grown = []
    for _ in range(2):
        before = Memory.now()
        launch_all()
        grown.append(Memory.now().since(before))
    return grown
