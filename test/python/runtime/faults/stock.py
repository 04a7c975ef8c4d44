"""Stock kernels of the programs in this directory."""

import triton
import triton.language as tl


@triton.jit
def increment(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@triton.jit
def store_far(y, k, BLOCK: tl.constexpr):
    tl.store(y + tl.load(k) + tl.arange(0, BLOCK), 1.0)
