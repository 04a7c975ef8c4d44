"""Buffers that detect writes around them, and that end at an inaccessible page.

An access past the end of a buffer's last page ends the process (the pool reports it); the bytes between the buffer and
the page's end are filled with a pattern and compared afterwards.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from conformance.oracle import Array

if TYPE_CHECKING:
    import torch

PATTERN = 0xFF
"""A NaN as a float, -1 as an integer: a value that was read outside of the buffer shows in the result."""

ALIGNMENT = 64
PAGE = mmap.PAGESIZE


class GuardedBuffer:
    """A private copy of ``contents`` between a filled page and an inaccessible one."""

    def __init__(self, contents: Array) -> None:
        self.size = contents.nbytes
        aligned_size = -(-max(self.size, 1) // ALIGNMENT) * ALIGNMENT
        total = PAGE + -(-aligned_size // PAGE) * PAGE + PAGE
        self.map = mmap.mmap(-1, total)
        self.bytes = np.frombuffer(self.map, np.uint8)
        self.start = total - PAGE - aligned_size
        self.bytes[: total - PAGE] = PATTERN
        self.bytes[self.start : self.start + self.size] = contents.view(np.uint8)
        self.end = total - PAGE
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mprotect(ctypes.c_void_p(self.bytes.ctypes.data + self.end), ctypes.c_size_t(PAGE), 0):
            raise OSError(ctypes.get_errno(), "mprotect failed")

    @property
    def contents(self) -> Array:
        return self.bytes[self.start : self.start + self.size]

    @property
    def intact(self) -> bool:
        """Returns true if no byte beside the buffer was written."""
        before, behind = self.bytes[: self.start], self.bytes[self.start + self.size : self.end]
        return bool((before == PATTERN).all() and (behind == PATTERN).all())

    def tensor(self, dtype: torch.dtype) -> torch.Tensor:
        import torch

        if not self.size:
            return torch.empty(0, dtype=dtype)
        count: Any = self.size // torch.empty(0, dtype=dtype).element_size()
        return torch.frombuffer(self.map, dtype=dtype, count=count, offset=self.start)
