"""Kernels that test_object_files.py compiles to object files."""

from __future__ import annotations

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import cuda, libdevice


@blockdsl.jit
def scale(out, x, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    tl.store(out + at, (values * factor).to(values.dtype), mask=at < n)


@blockdsl.jit
def numbers(out, i8, u8, i16, i64, u64, f64, yes):
    tl.store(out + 0, i8.to(tl.float64))
    tl.store(out + 1, u8.to(tl.float64))
    tl.store(out + 2, i16.to(tl.float64))
    tl.store(out + 3, i64.to(tl.float64))
    tl.store(out + 4, u64.to(tl.float64))
    tl.store(out + 5, f64)
    tl.store(out + 6, tl.where(yes, 1.0, 0.0).to(tl.float64))


@blockdsl.jit
def places(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    tl.store(out + at, x + 10 * y + 100 * z)


@blockdsl.jit
def counts(bins, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + at, mask=at < n, other=0), 1, mask=at < n)


@blockdsl.jit
def below(out, x, limit):
    value = tl.load(x + tl.program_id(0))
    tl.device_assert(value < limit, "too large")
    tl.store(out + tl.program_id(0), value)


@blockdsl.jit
def product(out, x, y, N: tl.constexpr):
    rows, columns = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    both = tl.dot(tl.load(x + rows * N + columns), tl.load(y + rows * N + columns))
    tl.store(out + rows * N + columns, tl.sort(both))


@blockdsl.jit
def transposed(out, x, M: tl.constexpr, N: tl.constexpr):
    block = x.load([tl.program_id(0) * M, tl.program_id(1) * N])
    out.store([tl.program_id(1) * N, tl.program_id(0) * M], block.T)


@blockdsl.jit
def of_tuple(out, pair, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(out + at, tl.load(pair[0] + at) + pair[1])


@blockdsl.jit
def follows(out, x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    before = tl.load(x + at)
    tl.store(out + at + 1, before)
    tl.store(out + at + BLOCK + 1, before + tl.load(x + at))


@blockdsl.jit
def gammas(out, x, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(out + at, libdevice.lgamma(tl.load(x + at)))


@blockdsl.jit
def prints(x):
    tl.device_print("x", tl.load(x))


@blockdsl.jit
def waits(x):
    while tl.atomic_cas(x, 0, 1) == 1:
        pass


@blockdsl.jit
def reads_the_clock(x):
    tl.store(x, cuda.globaltimer())


@blockdsl.jit
def asks_for_the_processor(x):
    tl.store(x, cuda.smid())


@blockdsl.jit
def register(x):
    tl.store(x, 1)


@blockdsl.jit
def exp(x):
    tl.store(x, 1)


@blockdsl.jit
def größe(x):
    tl.store(x, 1)
