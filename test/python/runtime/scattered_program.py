"""Run by test_cpu_backend.py: LLVM's linker with two allocated pages that are 8 GiB apart."""

from __future__ import annotations

import ctypes
import mmap

import torch
from handwritten import HandwrittenKernel, check

from blockdsl.backends import cpu

PAGE, FAR = 4096, 8 << 30
RESERVED = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE: none of it is ever accessed.
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_size_t
libc.mmap.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
libc.munmap.argtypes = (ctypes.c_size_t, ctypes.c_size_t)


def reserve(size: int) -> int:
    address: int = libc.mmap(0, size, 0, RESERVED, -1, 0)
    assert address != ctypes.c_size_t(-1).value
    return address


def scatter() -> None:
    """Leaves one page free above 8 GiB that are taken: the system gives the highest free range that is large enough."""
    gap = reserve(FAR)
    size = 1 << 40
    while size >= PAGE:
        address = reserve(size)
        if address < gap:
            libc.munmap(address, size)
            size //= 2
    libc.munmap(gap + FAR - PAGE, PAGE)


def link_scattered(code: bytes, name: str) -> tuple[int, object]:
    cpu._jit()
    scatter()
    return link(code, name)


cpu.links_itself = lambda: False
link, cpu.link = cpu.link, link_scattered
kernel = HandwrittenKernel(check.fn, [])  # Its object file has constants in addition to code.
kernel[(4,)](torch.ones(4, dtype=torch.int32), 2)
print("right")
