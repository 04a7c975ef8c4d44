"""Run by test_memory_limit.py: compiles a kernel with a given number of megabytes of address space left."""

import resource
import sys

import numpy as np

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def increment(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


with open("/proc/self/statm", encoding="ascii") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
limit = taken + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
x = np.arange(1024, dtype=np.float32)
y = np.zeros_like(x)
try:
    increment[(4,)](x, y, 1000, BLOCK=256)
    assert np.array_equal(y[:1000], x[:1000] + 1)
    print("right")
except MemoryError as error:
    print(f"short: {error}")
