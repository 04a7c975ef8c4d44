"""Kernels of stock Triton: the language and the decorators are Triton's."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside) + tl.load(y_ptr + offsets, mask=inside), inside)


@triton.jit
def softmax(out_ptr, x_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offsets, numerator / tl.sum(numerator, axis=0), mask=inside)


@triton.jit
def bucket(x_ptr, out_ptr, width, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, (tl.load(x_ptr + at) / width).to(tl.int32))


@triton.jit
def relu(x):
    return tl.where(x > 0, x, 0)


@triton.autotune(
    configs=[
        triton.Config({"M": 32, "N": 32, "K": 32}, num_warps=4, num_stages=2),
        triton.Config({"M": 64, "N": 64, "K": 32}, num_warps=8),
    ],
    key=["rows", "columns", "inner"],
)
@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, rows, columns, inner, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    ACTIVATION: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    m = (tl.program_id(0) * M + tl.arange(0, M)) % rows
    n = (tl.program_id(1) * N + tl.arange(0, N)) % columns
    k = tl.arange(0, K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    total = tl.zeros((M, N), dtype=tl.float32)
    for step in range(tl.cdiv(inner, K)):
        a = tl.load(a_ptrs, mask=k[None, :] < inner - step * K, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < inner - step * K, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += K * stride_ak
        b_ptrs += K * stride_bk
    if ACTIVATION == "relu":
        total = relu(total)
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    inside = (m[:, None] < rows) & (n[None, :] < columns)
    tl.store(c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn, total, mask=inside)


@triton.jit
def layer_norm(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < columns, other=0.0).to(tl.float32)
        x = tl.where(at < columns, x - mean, 0.0)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
        y = (x - mean) * rstd * tl.load(w_ptr + at, mask=inside) + tl.load(b_ptr + at, mask=inside)
        tl.store(y_ptr + at, y, mask=inside)


@triton.jit
def column_sums(x_ptr, out_ptr, lock_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Adds to one row from all programs, one at a time."""
    at = tl.arange(0, COLUMNS)
    inside = at < columns
    total = tl.zeros([COLUMNS], dtype=tl.float32)
    for step in range(ROWS):
        row = tl.program_id(0) * ROWS + step
        total += tl.load(x_ptr + row * columns + at, mask=inside & (row < rows), other=0.0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr + at, tl.load(out_ptr + at, mask=inside) + total, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def histogram(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.atomic_add(counts_ptr + tl.load(x_ptr + offsets, mask=inside, other=0), 1, mask=inside)


@triton.jit
def copy_tile(source, out_ptr, rows, columns, M: tl.constexpr, N: tl.constexpr):
    """Copies from a descriptor of the host to one that is made here."""
    target = tl.make_tensor_descriptor(out_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[M, N])
    m, n = tl.program_id(0) * M, tl.program_id(1) * N
    target.store([m, n], source.load([m, n]) * 2)


@triton.jit
def gather_rows(table_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    """The table holds addresses as integers."""
    row_ptr = tl.load(table_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.program_id(0) * columns + at, tl.load(row_ptr + at, mask=at < columns), mask=at < columns)


@triton.jit
def weighted(pairs, out_ptr, n, BLOCK: tl.constexpr):
    """Takes a tuple of a pointer, and of a pair of a pointer and a number."""
    at = tl.arange(0, BLOCK)
    inside = at < n
    first, rest = pairs[0], pairs[1]
    tl.store(out_ptr + at, tl.load(first + at, mask=inside) + rest[1] * tl.load(rest[0] + at, mask=inside), inside)


@triton.jit
def checked(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.device_assert(x >= 0, "x is negative", mask=at < n)


@triton.jit
def printing(x_ptr, BLOCK: tl.constexpr):
    tl.device_print("x is", tl.load(x_ptr + tl.arange(0, BLOCK)))


@triton.jit
def tanh(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, libdevice.tanh(tl.load(x_ptr + at, mask=at < n)), mask=at < n)


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def assembly(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    y = tl.inline_asm_elementwise("activemask.b32 $0;", "=r,r", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out_ptr + at, y)


@triton.jit
def shifted(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Stores all before it loads: the result depends on whether the two overlap."""
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def small_floats(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at).to(tl.float8e4b15, bitcast=True)
    y = x.to(tl.float16).to(tl.float32) * 0.75
    tl.store(out_ptr + at, (y.to(tl.float8e4b15)).to(tl.uint8, bitcast=True))


@triton.jit
def targets(out_ptr):
    """Stores the target's name; assembly for GPUs is only in their branch."""
    if tl.target_info.is_cuda() or tl.target_info.is_hip():
        tl.store(out_ptr, tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], tl.int32, is_pure=True, pack=1))
    if tl.target_info.cuda_capability_geq(8, 0):
        tl.store(out_ptr, 80)
    if tl.target_info.current_target().backend == "cpu":
        tl.store(out_ptr + 1, 1)


@triton.jit
def between(x_ptr, out_ptr, low, high, BLOCK: tl.constexpr):
    """``and``, ``or`` and ``not`` are elementwise on blocks, and Python's on numbers."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    inside = x > low and x < high
    either = (x <= low or x >= high) and not (x == 0)
    if low < high and not (low == 0):
        inside = inside or x == low
    tl.store(out_ptr + at, inside.to(tl.int32) + 2 * either.to(tl.int32))


@triton.jit
def softmax_of_rows(
    out_ptr, x_ptr, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr, num_stages: tl.constexpr
):  # fmt: skip
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=num_stages):
        offsets = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + offsets, mask=offsets < columns, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + offsets, numerator / tl.sum(numerator, axis=0), mask=offsets < columns)


@triton.jit
def never_compiled(x_ptr):
    tl.static_assert(False, "never")


@triton.jit
def loading_a_matrix(x_ptr):
    x = tl.inline_asm_elementwise(
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {$0}, [$1];", "=r,r", [tl.load(x_ptr)], tl.float32, True, 1
    )
    tl.store(x_ptr, x)


@triton.jit(debug=True)
def always_positive(x_ptr):
    tl.device_assert(tl.load(x_ptr) > 0, "positive")


@triton.jit
def widened(x_ptr, out_ptr, BLOCK: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(KIND, bitcast=True).to(tl.float32))


@triton.jit
def copied_and_widened(x_ptr, copy_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(copy_ptr + at, x)
    tl.store(out_ptr + at, x.to(tl.float32))


@triton.jit
def narrowed(x_ptr, out_ptr, BLOCK: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(KIND).to(tl.uint8, bitcast=True))


@triton.jit
def summed(x_ptr, out_ptr, BLOCK: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at).to(KIND, bitcast=True)
    tl.store(out_ptr + at, (x + x).to(tl.float32))


@triton.jit
def product(a_ptr, b_ptr, out_ptr, N: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.load(a_ptr + at).to(KIND, bitcast=True), tl.load(b_ptr + at).to(KIND, bitcast=True)
    tl.store(out_ptr + at, tl.dot(a, b))
