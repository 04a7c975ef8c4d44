"""Run by test_compile.py: compiles a kernel again and again, and prints how many kilobytes stay allocated each time."""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import kernels
import numpy as np

import blockdsl


class Mallinfo(ctypes.Structure):
    """glibc's statistics of its heap; only the bytes in use are of interest here."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
                                                          "fsmblks", "uordblks", "fordblks", "keepcost"))  # fmt: skip


libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Mallinfo


def allocated_kilobytes() -> float:
    return float(libc.mallinfo2().uordblks) / 1024


def compile_some(count: int) -> None:
    x, y, out = (np.ones(1000, dtype=np.float32) for _ in range(3))
    for _ in range(count):
        blockdsl.jit(kernels.add.fn)[(8,)](x, y, out, 1000)
    gc.collect()


def main() -> None:
    compile_some(15)
    before = allocated_kilobytes()
    compile_some(30)
    print((allocated_kilobytes() - before) / 30)


main()
