"""Run by test_gpu_errors.py: an endless compilation is interrupted, and the next one succeeds."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import gpu_kernels
from gpu_kernels import ADD

import blockdsl

# A background job of a shell, as in CI, starts its programs with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    blockdsl.compile(gpu_kernels.add, ADD, {"BLOCK": 64}, target="cuda:80")
    print("compiled", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
del os.environ["TRITON_PTXAS_PATH"]
cubin = blockdsl.compile(gpu_kernels.add, ADD, {"BLOCK": 64}, target="cuda:80").asm["cubin"]
print("right afterwards" if cubin[:4] == b"\x7fELF" else "wrong", flush=True)
