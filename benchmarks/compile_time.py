"""Compile time of kernels in a process that has imported everything: cold, and from the disk cache.

    python -m benchmarks.compile_time              # the table
    python -m benchmarks.compile_time attention    # seconds of one first launch, and its CPU time

Each figure is measured in new processes, as by the second command. It is the time of the first launch, and thus
includes everything that a user waits for: front end, passes, LLVM, linking, and one run on small tensors.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import aligned, seconds
from benchmarks.timing import Spread

AT_MOST = {
    ("vector add", "cold"): 60e-3,
    ("vector add", "disk cache"): 15e-3,
    ("softmax", "cold"): 70e-3,
    ("layer norm", "cold"): 100e-3,
    ("matmul", "cold"): 150e-3,
    ("attention", "cold"): 200e-3,
}
"""Seconds, of a kernel and where it comes from."""

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Row:
    kernel: str
    kind: str
    wall: Spread
    cpu: Spread

    @property
    def at_most(self) -> float:
        return AT_MOST[self.kernel, self.kind]


def first_launch(kernel: str, cache: str) -> tuple[float, float]:
    """Returns the wall-clock and CPU seconds of a first launch in a new process with the cache directory ``cache``."""
    environment = os.environ | {"BLOCKDSL_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    # Installed packages have bytecode, so it is written for the sources, too.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "benchmarks.compile_time", kernel]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
    wall, cpu = map(float, completed.stdout.split())
    return wall, cpu


def measure(repeats: int = 5) -> Iterator[Row]:
    for kernel in dict.fromkeys(name for name, _ in AT_MOST):
        times: dict[str, list[tuple[float, float]]] = {"cold": [], "disk cache": []}
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as cache:
                times["cold"].append(first_launch(kernel, cache))
                if (kernel, "disk cache") in AT_MOST:
                    times["disk cache"].append(first_launch(kernel, cache))
        for kind, took in times.items():
            if took:
                wall, cpu = zip(*took, strict=True)
                yield Row(kernel, kind, Spread.of([*wall]), Spread.of([*cpu]))


def launch_of(kernel: str) -> Callable[[], object]:
    """Returns a launch on small tensors."""
    import torch

    from benchmarks.cuda import sources
    from examples import layer_norm, matmul, softmax, vector_add

    x, rows, square, heads = (torch.ones(*shape) for shape in ([64], [2, 1024], [64, 64], [1, 1, 128, 64]))
    attention = sources.load(sources.OURS).attention[(1, 1)]
    return {
        "vector add": lambda: vector_add.add(x, x),
        "softmax": lambda: softmax.softmax(rows),
        "layer norm": lambda: layer_norm.layer_norm(rows, rows[0], rows[1]),
        "matmul": lambda: matmul.matmul(square, square, blocks=(64, 64, 64)),
        "attention": lambda: attention(*[heads] * 3, heads.clone(), 0.125, 128, WIDTH=64, BLOCK_M=128, BLOCK_N=64),
    }[kernel]


def table(rows: Iterator[Row]) -> str:
    headings = ["kernel", "from", "median", "CPU time", "at most", "held"]
    lines = [
        [row.kernel, row.kind, seconds(row.wall.median), seconds(row.cpu.median), seconds(row.at_most),
         "yes" if row.wall.median <= row.at_most else "NO"]
        for row in rows
    ]  # fmt: skip
    return aligned(headings, lines, {0, 1, 5})


def main() -> None:
    if len(sys.argv) == 1:
        print(table(measure()))
        return
    launch = launch_of(sys.argv[1])
    # After the import of torch a garbage collection of a tenth of a second is due.
    gc.collect()
    start, start_cpu = time.perf_counter(), time.process_time()
    launch()
    print(time.perf_counter() - start, time.process_time() - start_cpu)


if __name__ == "__main__":
    main()
