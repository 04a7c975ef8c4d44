"""Products, randomness, assembly and mathematics: kernels for test_front_end.py."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def dot_kinds(a, b, c, d, e, out, n, N: tl.constexpr):
    i = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    x = tl.load(a + i)
    y = tl.load(b + i)
    z = tl.load(c + i)
    w = tl.load(d + i)
    o = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.device_print(
        "d", tl.dot(x, x.T), tl.dot(y, y.T), tl.dot(z, z.T), tl.dot(w, w.T), tl.dot(x, x.T, out_dtype=tl.float16)
    )
    tl.store(out + o, tl.dot(x, tl.trans(x)))
    tl.store(out + 256 + o, tl.dot(w, w.T, allow_tf32=False))
    tl.store(out + 512 + o, tl.dot(w, w.T, input_precision="ieee"))
    acc = tl.zeros((16, 16), tl.float32)
    acc = tl.dot(x, x.T, acc)
    acc = tl.dot(y, y.T, acc=acc)
    acc += tl.dot(w, w.T, input_precision="tf32x3")
    tl.store(out + 768 + o, acc)
    f = tl.load(e + i)
    tl.device_print("d", tl.dot(f, f.T))


@triton.jit
def dot_acc_int(c, out, n, N: tl.constexpr):
    i = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    z = tl.load(c + i)
    acc = tl.zeros((16, 16), tl.int32)
    for k in range(3):
        acc = tl.dot(z, z.T, acc, out_dtype=tl.int32)
    tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], acc)


@triton.jit
def dot_3d(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, 2)[:, None, None] * 512 + tl.arange(0, 16)[None, :, None] * 32 + tl.arange(0, 32)[None, None, :]
    a = tl.load(x + i)
    b = tl.permute(a, (0, 2, 1))
    o = tl.arange(0, 2)[:, None, None] * 256 + tl.arange(0, 16)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :]
    tl.store(out + o, tl.dot(a, b, input_precision="ieee"))


@triton.jit
def dot_small(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]
    a = tl.load(x + i)
    tl.store(out + i, tl.dot(a, a, input_precision="ieee"))


@triton.jit
def dot_scaled_e2m1(x, y, out, n, F: tl.constexpr, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])
    b = tl.load(x + tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :])
    s = tl.load(y + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :]) + 120
    c = tl.dot_scaled(a, s, F, b, s, F)
    tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], c)


@triton.jit
def dot_scaled_e4m3_none(x, y, out, n, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]).to(tl.float8e4nv, bitcast=True)
    b = tl.load(x + tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :]).to(tl.float8e5, bitcast=True)
    s = tl.load(y + tl.arange(0, 16)[:, None] * 1 + tl.arange(0, 1)[None, :]) + 120
    c = tl.dot_scaled(a, s, "e4m3", b, None, "e5m2", acc=tl.zeros((16, 16), tl.float32), fast_math=True)
    tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], c)


@triton.jit
def dot_scaled_bf16(x, y, z, out, n, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])
    b = tl.load(z + tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :])
    s = tl.load(y + tl.arange(0, 16)[:, None] * 1 + tl.arange(0, 1)[None, :]) + 120
    c = tl.dot_scaled(a, None, "bf16", b, s, "e5m2", out_dtype=tl.float32)
    tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], c)


@triton.jit
def inline_asm(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [tl.load(y + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, a)
    b, c = tl.inline_asm_elementwise(
        """
        add.s32 $0, $2, $3;
        sub.s32 $1, $2, $3;
    """,
        "=r,=r,r,r",
        args=[tl.load(y + i), i],
        dtype=(tl.int32, tl.int32),
        is_pure=True,
        pack=1,
    )
    tl.store(out + N + i, b * c)


@triton.jit
def inline_asm_pack(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.inline_asm_elementwise(
        "and.b32 $0, $1, 0x0F0F0F0F;", "=r,r", [tl.load(y + i)], dtype=tl.int8, is_pure=True, pack=4
    )
    tl.store(out + i, a)


@triton.jit
def random_seed_kinds(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    seed = tl.load(y)
    tl.store(out + i, tl.rand(seed, i) + tl.rand(n, i) + tl.rand(3, i + n))


@triton.jit
def philox(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N).to(tl.uint32)
    z = i * 0
    a, b, c, d = tl.philox(n, i, z, z, z)
    tl.store(out + tl.arange(0, N), tl.uint_to_uniform_float(a))
    u, v = tl.pair_uniform_to_normal(tl.uint_to_uniform_float(b), tl.uint_to_uniform_float(c))
    tl.store(out + N + tl.arange(0, N), u + v)


@triton.jit
def math_statement(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    p = tl.abs(a) + 0.1
    tl.store(out + i, tl.exp(a) + tl.exp2(a) + tl.log(p) + tl.log2(p))
    tl.store(out + N + i, tl.sin(a) + tl.cos(a) + tl.sqrt(p) + tl.rsqrt(p) + tl.sqrt_rn(p))
    tl.store(out + 2 * N + i, tl.erf(a) + tl.floor(a) + tl.ceil(a) + tl.sigmoid(a))
    tl.store(out + 3 * N + i, tl.fdiv(a, p) + tl.div_rn(a, p) + tl.fma(a, p, a))
    tl.store(
        out + 4 * N + i, tl.clamp(a, -0.5, 0.5) + tl.maximum(a, 0) + tl.minimum(a, p, propagate_nan=tl.PropagateNan.ALL)
    )
    tl.store(out + 5 * N + i, tl.softmax(a))
    tl.store(out + 6 * N + i, tl.math.exp(a) + tl.math.abs(a) + tl.math.fma(a, a, a))
    tl.store(out + 7 * N + i, tl.umulhi(i.to(tl.uint32) * 100000000, 77777777).to(tl.float32))
    tl.store(out + 8 * N + i, tl.cdiv(i, 3) + tl.cdiv(n, 3))
    tl.store(out + 9 * N, tl.exp(2.0 * n) + tl.log(tl.load(x) * 0 + 3.0) + tl.max(a.abs().exp(), 0))


@triton.jit
def device_functions(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.tanh(a) + libdevice.pow(a * a, 1.5) + libdevice.rint(a))
    tl.store(out + N + i, tl.extra.cuda.libdevice.exp(a) + tl.extra.libdevice.log1p(tl.abs(a)))
    tl.store(out + 2 * N + i, libdevice.atan2(a, 2.0) + libdevice.pow(2.0, a))
    tl.store(out + 3 * N + i, tl.where(libdevice.isnan(a), 1, 0) + libdevice.popc(i) + libdevice.fast_expf(a))


@triton.jit
def hints(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    i = tl.multiple_of(i, 16)
    i = tl.max_contiguous(tl.multiple_of(i, N), N)
    i = tl.max_constancy(i, 1)
    tl.assume(n > 0)
    k = tl.multiple_of(n, 1)
    tl.debug_barrier()
    tl.store(out + i, tl.load(x + i) + k)


@triton.jit
def hints_2d(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    o = i[:, None] * N + i[None, :]
    o = tl.max_contiguous(tl.multiple_of(o, [1, 16]), [1, 16])
    tl.store(out + o, tl.load(x + o))


@triton.jit
def swizzle(x, y, out, n, N: tl.constexpr):
    a, b = tl.swizzle2d(tl.program_id(0), tl.program_id(0) + 1, 4, 4, 2)
    tl.store(out + a, b)


@triton.jit
def where_forms(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.where(i > 3, a, float("-inf")))
    tl.store(out + N + i, tl.where(n > 3, a, 0.0))
    tl.store(out + 2 * N + i[:, None] * N + i[None, :], tl.where(i[:, None] >= i[None, :], 1, 0))
    tl.store(out + 40 * N, tl.where(n > 3, 1.0, 2.0))
    tl.store(out + 41 * N + i, tl.where(True, a, 0))
    tl.store(out + 42 * N + i, tl.where(i, a, 0))
    p = tl.where(n > 3, x, out)
    tl.store(out + 43 * N + i, tl.load(p + i))


@triton.jit
def int64_overflow(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    pid = tl.program_id(0).to(tl.int64)
    tl.store(out + i, i + pid * 4294967296)
    tl.store(out + N + i, (i + 2147483647))
    tl.store(out + 2 * N + i, i * 1000000 * 1000000)
    tl.store(out + 3 * N + i, tl.load(y + i) << 40)


@triton.jit
def shifts(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(y + i) - 6
    tl.store(out + i, a >> 1)
    tl.store(out + N + i, a << 3)
    tl.store(out + 2 * N + i, a >> i)
    tl.store(out + 3 * N + i, a.to(tl.uint32) >> 4)
    tl.store(out + 4 * N + i, tl.load(x + i) >> 1)
    tl.store(out + 5 * N + i, 1 << i)
    tl.store(out + 6 * N + i, (i & 1) ^ (i >> 2) | 4)


@triton.jit
def unpack_bits(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    w = tl.load(x + i // 8)
    q = (w >> ((i % 8) * 4)) & 0xF
    tl.store(out + i, (q - 8).to(tl.float16) * 0.5)


SIGNATURES = {
    "dot_kinds": {"a": "*fp16", "b": "*bf16", "c": "*i8", "d": "*fp32", "e": "*fp64"},
    "dot_acc_int": {"c": "*i8", "out": "*i32"},
    "dot_scaled_e2m1": {"x": "*u8", "y": "*u8", "F": "e2m1"},
    "dot_scaled_e4m3_none": {"x": "*u8", "y": "*u8"},
    "dot_scaled_bf16": {"x": "*bf16", "y": "*u8", "z": "*u8"},
    "inline_asm_pack": {"y": "*i8"},
    "random_seed_kinds": {"y": "*i64", "n": "i64"},
    "int64_overflow": {"y": "*i64", "out": "*i64"},
    "shifts": {"x": "*u8", "out": "*i32"},
    "unpack_bits": {"x": "*i32"},
}
"""Parameters of single kernels that differ from the usual ones."""
