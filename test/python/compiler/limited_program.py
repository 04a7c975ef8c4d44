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


@blockdsl.jit
def multiply(x, y, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(y + at, tl.dot(a, a, input_precision="ieee"))


with open("/proc/self/statm", encoding="ascii") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
limit = taken + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
x = np.arange(1024, dtype=np.float32)
y = np.zeros_like(x)
try:
    if sys.argv[2] == "increment":
        increment[(4,)](x, y, 1000, BLOCK=256)
        assert np.array_equal(y[:1000], x[:1000] + 1)
    else:
        multiply[(1,)](x, y, N=32)
        assert np.array_equal(y, (x.reshape(32, 32) @ x.reshape(32, 32)).flatten())
    print("right")
except MemoryError as error:
    print(f"short: {error}")
