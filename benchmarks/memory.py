"""Growth of the memory in use while a function runs many times.

Memory may be allocated once: the driver fills a queue, an allocator gets pages, code runs for the first time. A leak
grows in every repetition, so everything is measured twice in a row.
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
    """The result of glibc's mallinfo2."""

    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _names.split()]


_libc = ctypes.CDLL(None)
_libc.mallinfo2.restype = _Heap


@dataclass(frozen=True)
class Memory:
    """The memory in use.

    Attributes:
        host: The resident memory of this process, in bytes.
        heap: The bytes allocated with malloc and not freed, which show leaks of C and C++.
        blocks: The blocks of Python's allocator, which show leaks of Python objects.
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
    """Returns the growth of memory during the first and the second run of ``launch_all``."""
    # The first measurement allocates memory itself.
    Memory.now()
    gc.collect()
    grown = []
    for _ in range(2):
        before = Memory.now()
        launch_all()
        grown.append(Memory.now().since(before))
    return grown
