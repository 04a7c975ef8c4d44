"""Run by test_large_kernels.py: one large kernel, on a thread with a stack of so many KiB, held against NumPy.

    python large_kernels_program.py KERNEL SIZE KIB

It prints ``right``, or what is wrong. It is a program of its own because what it tests ends the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import numpy as np

import blockdsl
import blockdsl.language as tl

Array = np.ndarray
B = 64


@blockdsl.jit
def chained(x, y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for _ in tl.static_range(N):
        v = v * 0.5 + 1.0
    tl.store(y + o, v)


def expect_chained(x: Array, n: int) -> Array:
    v = x[:B]
    for _ in range(n):
        v = v * np.float32(0.5) + np.float32(1.0)
    return v


KERNELS: dict[str, tuple[object, Callable[[Array, int], Array], int]] = {
    # Kernel, reference, block.
    "chained": (chained, expect_chained, B),
}


def run(name: str, size: int) -> None:
    kernel, expect, block = KERNELS[name]
    x = np.random.default_rng(0).standard_normal((size + 1) * block, dtype=np.float32)
    expected = expect(x, size)
    y = np.zeros_like(expected)
    kernel[(1,)](x, y, BLOCK=block, N=size)  # type: ignore[index]
    difference = float(np.max(np.abs(y - expected) / (1 + np.abs(expected))))
    print("right" if difference < 1e-4 else f"wrong by {difference}")


def main() -> None:
    name, size, kib = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    threading.stack_size(kib << 10)
    thread = threading.Thread(target=run, args=(name, size))
    thread.start()
    thread.join()


main()
