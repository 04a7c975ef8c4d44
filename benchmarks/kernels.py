"""Timed kernels that are not examples, each for one operation on blocks."""

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def sort_rows(out_ptr, x_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Each program sorts a few rows."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    at = row * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at)))


@blockdsl.jit
def topk_rows(out_ptr, x_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, K: tl.constexpr):
    """Each program finds the largest of a few rows."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    x = tl.load(x_ptr + row * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    tl.store(out_ptr + row * K + tl.arange(0, K)[None, :], tl.topk(x, K))


@blockdsl.jit
def draw(out_ptr, seed, NORMAL: tl.constexpr, BLOCK: tl.constexpr):
    """Each program draws one block of random numbers."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if NORMAL:
        tl.store(out_ptr + at, tl.randn(seed, at))
    else:
        tl.store(out_ptr + at, tl.rand(seed, at))


@blockdsl.jit
def add_at(bins_ptr, at_ptr, x_ptr, BLOCK: tl.constexpr):
    """All programs add to the same bins."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins_ptr + tl.load(at_ptr + offsets), tl.load(x_ptr + offsets), sem="relaxed")


@blockdsl.jit
def count(bins_ptr, x_ptr, BINS: tl.constexpr, BLOCK: tl.constexpr):
    """Each program computes the histogram of its block, and adds it to the total."""
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(bins_ptr + tl.arange(0, BINS), tl.histogram(x, BINS), sem="relaxed")


@blockdsl.jit
def gather(out_ptr, x_ptr, at_ptr, BLOCK: tl.constexpr):
    """Loads elements at arbitrary indices."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + tl.load(at_ptr + offsets)))


@blockdsl.jit
def scatter(out_ptr, x_ptr, at_ptr, BLOCK: tl.constexpr):
    """Stores elements at arbitrary indices."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.load(at_ptr + offsets), tl.load(x_ptr + offsets))


@blockdsl.jit
def argmax_rows(out_ptr, x_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Each program computes the argmax of a few rows."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    x = tl.load(x_ptr + row[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    tl.store(out_ptr + row, tl.argmax(x, axis=1).to(tl.int64))


@blockdsl.jit
def cumsum_rows(out_ptr, x_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Each program computes the cumulative sums of a few rows."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    at = row * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), axis=1))


@blockdsl.jit
def product(out_ptr, a_ptr, b_ptr, N: tl.constexpr, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    """Each program computes one tile of a product of square matrices."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, N, DEPTH):
        depth = start + tl.arange(0, DEPTH)
        a = tl.load(a_ptr + rows * N + depth[None, :])
        b = tl.load(b_ptr + depth[:, None] * N + columns)
        total = tl.dot(a, b, total)
    tl.store(out_ptr + rows * N + columns, total)


@blockdsl.jit
def scaled_product(
    out_ptr, a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, N: tl.constexpr, BLOCK: tl.constexpr, DEPTH: tl.constexpr
):  # fmt: skip
    """The same in microscaling formats, with an exponent for each 32 factors along the depth."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, N, DEPTH):
        depth = start + tl.arange(0, DEPTH)
        groups = start // 32 + tl.arange(0, DEPTH // 32)
        a = tl.load(a_ptr + rows[:, None] * N + depth[None, :])
        b = tl.load(b_ptr + depth[:, None] * N + columns[None, :])
        a_scale = tl.load(a_scale_ptr + rows[:, None] * (N // 32) + groups[None, :])
        b_scale = tl.load(b_scale_ptr + columns[:, None] * (N // 32) + groups[None, :])
        total = tl.dot_scaled(a, a_scale, "e4m3", b, b_scale, "e4m3", total)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], total)
