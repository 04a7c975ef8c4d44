"""Compile time by the number of a kernel's steps, up to 10,000.

    python -m benchmarks.compile_curve              # the table
    python -m benchmarks.compile_curve scans 300    # seconds of one first launch

Each figure is the time of a first launch in a new process, as by the second command, of a kernel that repeats a step.
The exponent is that of the last two sizes: 1 if twice the steps take twice as long.
"""

from __future__ import annotations

import gc
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import long_kernels

ROOT = Path(__file__).resolve().parent.parent
BLOCK = 64


KERNELS = (
    "stores", "stores_to_one_place", "arithmetic", "stored_arithmetic", "stored_indices", "scans", "flips",
    "exchanges",
)  # fmt: skip
SIZES: Mapping[str, Sequence[int]] = {
    name: (300, 1000, 3000) if name in ("scans", "flips", "exchanges") else (1000, 3000, 10_000) for name in KERNELS
}
"""Smaller sizes for scans, flips and exchanges, which are some dozens of ops each."""

AT_MOST = 10.0
"""The target: the most seconds of each launch."""


def first_launch(name: str, size: int) -> float:
    """Returns the seconds of the first launch in a new process, without the disk cache."""
    environment = os.environ | {"BLOCKDSL_CACHE": "0", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "benchmarks.compile_curve", name, str(size)]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
    return float(completed.stdout)


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Returns the slope between the last two points in logarithmic scale."""
    return math.log(seconds[-1] / seconds[-2]) / math.log(sizes[-1] / sizes[-2])


def measure(names: Sequence[str] = KERNELS) -> Iterator[tuple[str, Sequence[int], list[float]]]:
    for name in names:
        yield name, SIZES[name], [first_launch(name, size) for size in SIZES[name]]


def table(results: Sequence[tuple[str, Sequence[int], list[float]]]) -> str:
    lines = ["| compile | steps: seconds | exponent |", "|---|---|---:|"]
    for name, sizes, seconds in results:
        points = ", ".join(f"{size}: {second:.2f}" for size, second in zip(sizes, seconds, strict=True))
        excess = "" if max(seconds) <= AT_MOST else f" (more than {AT_MOST:.0f} s)"
        lines.append(f"| {name.replace('_', ' ')} | {points}{excess} | {exponent(sizes, seconds):.2f} |")
    return "\n".join(lines)


def launch(name: str, size: int) -> float:
    """Returns the seconds of the first launch in this process."""
    import torch

    kernel: Any = getattr(long_kernels, name)
    x = torch.ones(BLOCK)
    y = torch.empty(BLOCK * size, dtype=torch.int32 if name == "stored_indices" else torch.float32)
    gc.collect()
    start = time.perf_counter()
    kernel[(1,)](x, y, BLOCK=BLOCK, N=size)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(launch(sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else table(list(measure())))
