"""Result types of operations: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def literal_kinds(x, y, out, n, N: tl.constexpr):
    a = 1e-50
    b = 1e50
    c = 0xFFFFFFFF
    d = -(2**31)
    e = float("nan")
    tl.device_print("v", a, b, c, d, e)


@triton.jit
def mixed_ints(x, y, out, n, m, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.device_print("v", a + b, a + n, b + n, b + m, a + m, i + b, i * m, n * m)
    tl.device_print("v", a & b, a | i, a << 2, b >> i, i << a)
    tl.device_print("v", a < b, i > b, a == n)


@triton.jit
def float_mod(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) % 2 + tl.load(x + i) % tl.load(x + N + i))


@triton.jit
def mixed_floats(x, y, z, out, n, f, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c = tl.load(x + i), tl.load(y + i), tl.load(z + i)
    tl.device_print("v", a + b, a + c, b + c, a + f, b + f, c + f, a + n, b + n, a + i, b + i, a / b, a % b)
    tl.device_print("v", a / 3, b / 3, a * 1.5, b * 1.5, a + 1, c * 1.5, i * 1.5, i / 2, n / 3)
    tl.device_print("v", a < b, a == 1, b > f)


@triton.jit
def fp8_mixed(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.device_print("v", a + a, a + b)


@triton.jit
def bool_arith(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = i > 3
    tl.device_print("v", a + a, a * 2, a + 1.5, a & a, ~a, a == a, a < a)
    tl.store(out + i, a)
    tl.store(out + N, tl.sum(a) + tl.sum(a.to(tl.int32)))


@triton.jit
def casts(x, y, out, h, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.device_print(
        "c",
        a.to(tl.float16),
        a.to(tl.bfloat16, fp_downcast_rounding="rtz"),
        a.to(tl.int8),
        a.to(tl.int1),
        a.to(tl.float8e5),
        a.to(tl.float8e4nv, fp_downcast_rounding="rtne"),
        a.to(tl.int32, bitcast=True),
    )
    tl.device_print("c", n.to(tl.float32), n.to(tl.int1), n.to(tl.uint8), tl.cast(i, tl.float64), tl.cast(3, tl.int8))
    tl.device_print("c", tl.load(h + i).to(tl.bfloat16), tl.load(h + i).to(tl.int16, bitcast=True))
    b: tl.constexpr = a.dtype
    tl.store(out + i, i.to(b) + (i > 2).to(tl.float32))


SIGNATURES = {
    "literal_kinds": {"x": "*i8", "y": "*u32"},
    "mixed_ints": {"x": "*i8", "y": "*u32", "out": "*i64", "n": "i64", "m": "u32"},
    "mixed_floats": {"x": "*fp16", "y": "*bf16", "z": "*fp64", "f": "fp32"},
    "fp8_mixed": {"x": "*fp8e5", "y": "*fp8e4nv"},
    "casts": {"h": "*fp16"},
}
"""Parameters of single kernels that differ from the usual ones."""
COMPILED_ONLY = ("fp8_mixed",)
"""Kernels that are compiled, but not run."""
