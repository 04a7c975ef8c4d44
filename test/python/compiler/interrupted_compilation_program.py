"""Run by test_interrupted_compilation.py: a kernel that takes long to compile, interrupted in a given stage."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

import blockdsl
import blockdsl.language as tl
from blockdsl.compiler import cpu_kernel, dumps

reached, after = sys.argv[1], float(sys.argv[2])


@blockdsl.jit
def large(x, BLOCK: tl.constexpr, COUNT: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    for k in tl.static_range(COUNT):
        value = tl.exp(value) * tl.load(x + k * BLOCK + at) + k
        tl.store(x + at + k * BLOCK, value)


@blockdsl.jit
def small(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at) + 1)


def interrupt() -> None:
    time.sleep(after)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)


sent: list[float] = []
dumper = cpu_kernel.dumper


def watching(given: dumps.Dumps) -> dumps.Watch:
    def watch(stage: str, text: dumps.Printed) -> None:
        if stage == reached:
            threading.Thread(target=interrupt, daemon=True).start()

    return watch


signal.signal(signal.SIGINT, signal.default_int_handler)
small[(1,)](np.zeros(64, np.float32), 64)
cpu_kernel.dumper = watching
try:
    large[(1,)](np.zeros(1 << 16, np.float32), 64, int(sys.argv[3]))
    print("compiled")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - sent[0])
cpu_kernel.dumper = dumper
x = np.zeros(64, np.float32)
small[(1,)](x, 64)
entries = [path.name for path in Path(os.environ["BLOCKDSL_CACHE_DIR"]).iterdir() if not path.name.startswith(".lock")]
# LLVM may still be running.
print("right" if x.sum() == 64 and len(entries) == 1 else f"wrong {x.sum()} {entries}", flush=True)
raise SystemExit(3)
