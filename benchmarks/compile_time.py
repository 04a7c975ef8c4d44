"""Compile time of a vector addition, in a process that has imported everything: cold, and from the disk cache.

Each figure is taken in fresh processes, which run this module as a program; the first launch is timed, so it holds all
that a user waits for: front end, passes, LLVM, the link, and one run of 64 elements.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import Spread

AT_MOST = {"cold": 150e-3, "disk cache": 15e-3}
"""Seconds."""

ROOT = Path(__file__).resolve().parent.parent


def first_launch(cache: str) -> float:
    """Seconds of the first launch in a new process with its cache in ``cache``."""
    environment = os.environ | {"BLOCKDSL_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "benchmarks.compile_time"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
    return float(done.stdout)


def measure(repeats: int = 5) -> dict[str, Spread]:
    found: dict[str, list[float]] = {kind: [] for kind in AT_MOST}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            found["cold"].append(first_launch(cache))
            found["disk cache"].append(first_launch(cache))
    return {kind: Spread.of(seconds) for kind, seconds in found.items()}


def main() -> None:
    import torch

    from examples.vector_add import add

    x = torch.ones(64)
    out = torch.empty(64)
    # Importing torch leaves Python's collector with a tenth of a second of work, which is due at whatever comes next.
    gc.collect()
    begun = time.perf_counter()
    add(x, x, out)
    print(time.perf_counter() - begun)


if __name__ == "__main__":
    main()
