"""Run by test_concurrency.py: a kernel of half a minute that is interrupted, and a launch after that."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch
from handwritten import spin


def main() -> None:
    # A background job of a shell, as in CI, starts its programs with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    counts = torch.zeros(300_000, dtype=torch.int32)
    spin[(1000,)](counts, 100)
    print("launching", flush=True)
    try:
        spin[(300_000,)](counts, 100_000)
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("interrupted", time.time(), flush=True)
    counts.zero_()
    spin[(1000,)](counts, 100)
    print("right afterwards" if int(counts.sum()) == 1000 else "wrong", flush=True)


main()
