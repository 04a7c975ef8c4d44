"""Latency of a kernel's first launch: cold, and from the disk cache; ours and Triton's alternate.

Each figure is measured in a new process, which runs this module as a program. CUDA is initialized and the compiler is
imported before the measurement; it ends when the result is available.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.cuda.sources import OURS, TRITON
from benchmarks.timing import Spread

ROOT = Path(__file__).resolve().parents[2]
HELD_TO = {"cold": 1.0, "disk cache": 0.3}
"""The largest ratio of our time to Triton's."""

KERNELS = ("add", "matmul")


def in_fresh_process(compiler: str, kernel: str, cache: str) -> float:
    environment = os.environ | {"BLOCKDSL_CACHE_DIR": cache, "TRITON_CACHE_DIR": cache}
    command = [sys.executable, "-m", "benchmarks.cuda.first_launch", compiler, kernel]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    if completed.returncode != 0:
        raise SystemExit(f"first launch of {kernel} with {compiler} failed:\n{completed.stderr}")
    return float(completed.stdout.split()[-1])


def measure(repeats: int = 3) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for kernel in KERNELS:
        times: dict[tuple[str, str], list[float]] = {}
        for _ in range(repeats):
            for compiler in (OURS, TRITON):
                with tempfile.TemporaryDirectory() as cache:
                    for kind in HELD_TO:
                        times.setdefault((kind, compiler), []).append(in_fresh_process(compiler, kernel, cache))
        for kind, limit in HELD_TO.items():
            pairs = zip(times[kind, OURS], times[kind, TRITON], strict=True)
            ratio = Spread.of([own_seconds / triton_seconds for own_seconds, triton_seconds in pairs])
            rows.append({
                "kernel": kernel,
                "kind": kind,
                "seconds": Spread.of(times[kind, OURS]).median,
                "triton_seconds": Spread.of(times[kind, TRITON]).median,
                "ratio": [ratio.low, ratio.median, ratio.high],
                "held": ratio.median <= limit,
            })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler", choices=(OURS, TRITON))
    parser.add_argument("kernel", choices=KERNELS)
    options = parser.parse_args()
    import torch

    from benchmarks.cuda import sources

    kernels = sources.load(options.compiler)
    x, y = (torch.ones(256, 256, device="cuda", dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(x)
    torch.cuda.synchronize()
    start = time.perf_counter()
    if options.kernel == "add":
        kernels.add[(64,)](x, y, out, x.numel(), BLOCK=1024)
    else:
        kernels.matmul[(4,)](
            x, y, out, 256, 256, 256, *x.stride(), *y.stride(), *out.stride(),
            BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, GROUP_M=8, num_warps=8, num_stages=3,
        )  # fmt: skip
    torch.cuda.synchronize()
    spent = time.perf_counter() - start
    assert float(out[0, 0]) == (2.0 if options.kernel == "add" else 256.0)
    print(spent)


if __name__ == "__main__":
    main()
