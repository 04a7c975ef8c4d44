"""Types, shapes and accesses that both front ends refuse: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def negative_literal_unsigned(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("v", tl.load(x + i) + -1)


@triton.jit
def literal_too_large(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("v", tl.load(x + i) + 1000)


@triton.jit
def mixed_division(x, y, out, n, m, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("v", i // tl.load(y + i))


@triton.jit
def mixed_mod(x, y, out, n, m, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("v", i % m)


@triton.jit
def float_floordiv(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) // 2)


@triton.jit
def float_bitand(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) & 2)


@triton.jit
def float_shift(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) << 2)


@triton.jit
def arange_not_power(x, y, out, n, N: tl.constexpr):
    tl.store(out + tl.arange(0, 12), 1)


@triton.jit
def zeros_not_power(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.sum(tl.zeros((16, 3), tl.float32), 1))


@triton.jit
def too_many_elements(x, y, out, n, N: tl.constexpr):
    tl.store(out, tl.sum(tl.zeros((2048, 1024), tl.float32)))


@triton.jit
def shapes_differ(x, y, out, n, N: tl.constexpr):
    tl.store(out + tl.arange(0, 8), tl.load(x + tl.arange(0, 8)) + tl.load(x + tl.arange(0, 16)))


@triton.jit
def pointer_sub_pointer(x, y, out, n, N: tl.constexpr):
    tl.store(out, out - x)


@triton.jit
def cast_rounding(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.int32, fp_downcast_rounding="rtne"))


@triton.jit
def bitcast_size(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.int16, bitcast=True))


@triton.jit
def descriptor_last_stride(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n, 40], [40, 2], [8, 16])
    tl.store(out, tl.sum(d.load([0, 0])))


@triton.jit
def descriptor_rank(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n, 40], [40, 1], [8])
    tl.store(out, tl.sum(d.load([0, 0])))


@triton.jit
def descriptor_offsets(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n, 40], [40, 1], [8, 16])
    tl.store(out, tl.sum(d.load([0])))


@triton.jit
def descriptor_small(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n, 40], [40, 1], [8, 2])
    tl.store(out, tl.sum(d.load([0, 0])))


@triton.jit
def dot_mismatch(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a = tl.load(x + i)
    tl.store(out, tl.sum(tl.dot(a, a)))


@triton.jit
def dot_types_differ(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x + i)
    tl.store(out, tl.sum(tl.dot(a, a.to(tl.float16))))


@triton.jit
def atomic_sem(x, y, out, n, N: tl.constexpr):
    tl.atomic_add(out, 1.0, sem="seq_cst")


@triton.jit
def atomic_scope(x, y, out, n, N: tl.constexpr):
    tl.atomic_add(out, 1.0, scope="warp")


@triton.jit
def atomic_i8(x, y, out, n, N: tl.constexpr):
    tl.atomic_add(y, 1)


@triton.jit
def math_int(x, y, out, n, N: tl.constexpr):
    tl.store(out, tl.exp(n))


@triton.jit
def math_f16(x, y, out, n, N: tl.constexpr):
    tl.store(out, tl.exp(tl.load(x)))


@triton.jit
def program_id_axis(x, y, out, n, N: tl.constexpr):
    tl.store(out, tl.program_id(3))


SIGNATURES = {
    "negative_literal_unsigned": {"x": "*u8", "y": "*u32"},
    "literal_too_large": {"x": "*i8", "y": "*u32"},
    "mixed_division": {"x": "*i8", "y": "*u32", "out": "*i64", "n": "i64", "m": "u32"},
    "mixed_mod": {"x": "*i8", "y": "*u32", "out": "*i64", "n": "i64", "m": "u32"},
    "atomic_i8": {"y": "*i8"},
    "math_f16": {"x": "*fp16"},
}
"""Parameters of single kernels that differ from the usual ones."""
