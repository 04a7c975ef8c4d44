"""Arrays between two inaccessible pages, in memory whose other bytes have known values.

An access outside of an array ends the process, or is found by ``check``. The caller compares the elements of the array
itself.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE
# As much as a wrong stride reaches: neighbors in the address space are other mappings, and may be written.
FENCE = 16 * PAGE
CANARY = 0xA5

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Guarded:
    """A copy of an array's bytes that ends at, or begins after, an inaccessible page.

    Attributes:
        array: The copy, an array of uint8.
        map: The whole mapping, for ``torch.frombuffer``.
        offset: Where the copy begins in it.
    """

    def __init__(self, data: Any, *, at_end: bool) -> None:
        data_bytes = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        size = max(-(-data_bytes.size // PAGE), 1) * PAGE
        self.map = mmap.mmap(-1, size + 2 * FENCE)
        self.offset = FENCE + (size - data_bytes.size if at_end else 0)
        self.whole: Any = np.frombuffer(self.map, np.uint8, size, FENCE)
        self.whole[:] = CANARY
        self.array: Any = np.frombuffer(self.map, np.uint8, data_bytes.size, self.offset)
        self.array[:] = data_bytes
        base = self.whole.ctypes.data
        for start in (base - FENCE, base + size):
            if _libc.mprotect(start, FENCE, 0):
                raise OSError(ctypes.get_errno(), "mprotect")

    def check(self, name: str = "an array") -> None:
        """Raises AssertionError if a byte beside the array was written."""
        start = self.offset - FENCE
        written = np.flatnonzero(self.whole != CANARY)
        written = written[(written < start) | (written >= start + self.array.size)]
        assert not written.size, f"byte {written[0] - start} of {name}, which has {self.array.size}, was written"
