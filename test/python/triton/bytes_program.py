"""Launches a stock kernel from a file whose name is not UTF-8."""

from __future__ import annotations

import os
import sys

SOURCE = """import triton
import triton.language as tl


@triton.jit
def add(x, y, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(y + at, tl.load(x + at) + 1)


@triton.jit
def wrong(x, y, B: tl.constexpr):
    tl.device_assert(tl.load(x) > 100.0, "too small")
"""
here = os.path.join(os.fsencode(sys.argv[1]), b"caf\xe9")
os.makedirs(here)
with open(os.path.join(here, b"kernels.py"), "w", encoding="utf-8") as file:
    file.write(SOURCE)
sys.path.insert(0, os.fsdecode(here))

import kernels  # noqa: E402
import torch  # noqa: E402

import blockdsl  # noqa: E402

x, y = torch.ones(8), torch.zeros(8)
with blockdsl.triton.activate():
    for _ in range(2):
        kernels.add.device_caches.clear()
        kernels.add[(1,)](x, y, B=8)
    assert torch.equal(y, x + 1)
    try:
        kernels.wrong[(1,)](x, y, B=8, debug=True)
    except RuntimeError as error:
        print(error)
