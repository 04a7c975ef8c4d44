"""Compiles a module for a GPU with Triton alone: ``python -m compile_with_triton kernel.ttir 90``."""

from __future__ import annotations

import sys

import triton
from triton.backends.compiler import GPUTarget

if __name__ == "__main__":
    triton.compile(sys.argv[1], target=GPUTarget("cuda", int(sys.argv[2]), 32))
