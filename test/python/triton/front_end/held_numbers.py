"""Numbers that are assigned to names: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def assigned_float_promotes(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = 2.5
    v = tl.load(x + i) * a
    k = 3
    w = tl.load(y + i) * k
    tl.device_print("v", v, w)
    tl.store(out + i, v + w)
    b: tl.constexpr = 2.5
    v = tl.load(x + i) * b
    tl.device_print("v", v, tl.load(y + i) * 3)
    tl.device_print("u", tl.load(y + i) + True, tl.load(x + i) / 3, tl.load(y + i) / 2)


@triton.jit
def assigned_then_minmax(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    lo = 0.0
    v = tl.maximum(tl.load(x + i), lo)
    w = tl.where(i > 3, tl.load(x + i), lo)
    z = tl.where(i > 3, tl.load(x + i), 0.0)
    tl.device_print("v", v, w, z)
    m = tl.load(x + i, mask=i < n, other=lo)
    tl.device_print("v", m)


@triton.jit
def ternary_const_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    k = 1.0 if N > 4 else 2.0
    tl.device_print("v", tl.load(x + i) * k, tl.load(x + i) * (1.0 if N > 4 else 2.0))


@triton.jit
def returned_const_types_f():
    return 2.5


@triton.jit
def returned_const_types_g():
    a = 2.5
    return a


@triton.jit
def returned_const_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    k = returned_const_types_f()
    tl.device_print("v", v * returned_const_types_f(), v * returned_const_types_g(), v * k)


@triton.jit
def passed_const_types_f(v, k):
    return v * k


@triton.jit
def passed_const_types_g(v, k: tl.constexpr):
    return v * k


@triton.jit
def passed_const_types_h(v, k=2.5):
    return v * k


@triton.jit
def passed_const_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    a = 2.5
    tl.device_print(
        "v",
        passed_const_types_f(v, 2.5),
        passed_const_types_g(v, 2.5),
        passed_const_types_f(v, a),
        passed_const_types_h(v),
    )


@triton.jit
def tuple_const_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    t = (2.5, 3)
    a, b = t
    tl.device_print("v", v * t[0], v * a, tl.load(y + i) * b, tl.load(y + i) * t[1])


GLOBAL_CONST_TYPES_K = tl.constexpr(2.5)


@triton.jit
def global_const_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    k = GLOBAL_CONST_TYPES_K
    tl.device_print("v", v * GLOBAL_CONST_TYPES_K, v * k, v * -GLOBAL_CONST_TYPES_K, v * (GLOBAL_CONST_TYPES_K + 1))


@triton.jit
def loop_const_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    for k in tl.static_range(2):
        tl.device_print("v", v * k, tl.load(y + i) + k)
    for k in range(2):
        tl.device_print("v", v * k, tl.load(y + i) + k)
    for k in range(0, n):
        tl.device_print("v", v * k, tl.load(y + i) + k)


@triton.jit
def if_const_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if N > 3:
        k = 2.5
    else:
        k = 3.5
    tl.device_print("v", v * k)
    if n > 3:
        q = 2.5
    else:
        q = 3.5
    tl.device_print("v", v * q)


@triton.jit
def negative_const_unsigned(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    a = -1
    tl.device_print("v", v + a, tl.load(y + i) + a, v + 1, tl.load(y + i) * 2)


@triton.jit
def literal_large_assigned(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = 1000
    b = 2**31
    c = 2**40
    d = 2**63
    tl.device_print("v", tl.load(x + i) + a, i + b, i + c, i + d, n + b)


@triton.jit
def early_return_equal_const_f(n):
    if n > 30:
        return 2.5
    return 2.5


@triton.jit
def early_return_equal_const_g(n):
    if n > 30:
        return 2.5
    return 3.5


@triton.jit
def early_return_equal_const_h(n):
    if n > 30:
        return 2.5, n
    else:
        return 2.5, 3


@triton.jit
def early_return_equal_const(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.device_print(
        "v",
        v * early_return_equal_const_f(n),
        v * early_return_equal_const_g(n),
        v * early_return_equal_const_h(n)[0],
        v + early_return_equal_const_h(n)[1],
    )


@triton.jit
def held_minmax(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    k = 3
    tl.device_print("v", v * min(k, 5), v * min(3, 5), v * max(k, 2.5), tl.load(y + i) * max(N, 4))


@triton.jit
def held_arith(x, y, out, n, N: tl.constexpr):
    a = -7
    b = 2
    tl.store(out, a // b)
    tl.store(out + 1, a % b)
    tl.store(out + 2, a >> 1)
    tl.store(out + 3, -7 // 2)
    tl.store(out + 4, -7 % 2)
    c = 2147483647
    tl.store(out + 5, c + 1)
    tl.store(out + 6, ~b)
    d = True
    tl.store(out + 7, ~d)
    tl.store(out + 8, d + d)
    tl.store(out + 9, a / b)
    e = 1.0
    tl.store(out + 10, a * e)
    f = a // b * 2 + 1
    tl.store(out + 11, f)
    g = 5
    g //= -2
    tl.store(out + 12, g)
    g -= 1
    tl.store(out + 13, g * b)
    h = 100000
    tl.store(out + 14, h * h)


@triton.jit
def held_shape(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    K = v.shape[0]
    M: tl.constexpr = v.shape[0]
    tl.device_print("v", v * K, v * M, v * v.shape[0], v / K, tl.load(y + i) * K, v * N)


@triton.jit
def held_cdiv(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(y + i)
    k = tl.cdiv(N, 3)
    tl.device_print("v", v * k, v * tl.cdiv(N, 3), v * tl.cdiv(n, 3))


@triton.jit
def held_neg(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    k = -1.0
    tl.device_print("v", v * k, v * -k, v * -1.0, -v * k)


@triton.jit
def held_float_inf(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    m = float("-inf")
    v = tl.maximum(tl.load(x + i), m)
    w = tl.where(i > 2, tl.load(x + i), m)
    u = tl.where(i > 2, tl.load(x + i), float("-inf"))
    tl.device_print("v", v, w, u)


@triton.jit
def held_param_reassign(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(y + i)
    if n > 3:
        n = 3
    tl.device_print("v", v * n)
    b = N
    tl.device_print("v", v * b)


@triton.jit
def held_fp64(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = 0.1
    tl.store(out + i, tl.load(x + i) + a)
    tl.store(out + N + i, tl.load(x + i) + 0.1)
    b = a + 0.2
    tl.store(out + 2 * N + i, tl.load(x + i) + b)
    c = 1e-50
    tl.store(out + 3 * N + i, tl.load(x + i) + c)


@triton.jit
def held_walrus(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.device_print("v", v * (k := 2.5), v * k)


@triton.jit
def held_dot(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    scale = 0.5
    a = tl.load(x + i[:, None] * N + i[None, :]) * scale
    b = (tl.load(x + i[:, None] * N + i[None, :]) * scale).to(tl.float16)
    c = tl.dot(a.to(tl.float16), b)
    tl.store(out + i[:, None] * N + i[None, :], c * scale)
    tl.device_print("a", a)


@triton.jit
def held_load_other(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    o = 2.0
    z = 0
    v = tl.load(x + i, mask=i < n, other=o)
    w = tl.load(y + i, mask=i < n, other=z)
    f = tl.full((N,), o, tl.float16)
    g = tl.full((N,), z, tl.int8)
    tl.device_print("v", v, w, f, g, tl.zeros((N,), tl.int8) + z)
    tl.store(out + i, o)
    tl.store(out + i, z)


@triton.jit
def held_atomic(x, y, out, n, N: tl.constexpr):
    one = 1
    tl.atomic_add(y, one)
    tl.atomic_add(out, 1)
    tl.atomic_max(y + 1, one)
    tl.atomic_cas(y + 2, 0, one)


@triton.jit
def held_scan_init(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    m_i = float("-inf")
    l_i = 0.0
    for k in range(0, n):
        v = tl.load(x + k * N + i)
        m_new = tl.maximum(m_i, tl.max(v, 0))
        l_i = l_i * tl.exp(m_i - m_new) + tl.sum(tl.exp(v.to(tl.float32) - m_new), 0)
        m_i = m_new
    tl.store(out, l_i)


@triton.jit
def held_bool_mask(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    m = True
    m &= i < n
    q = False
    q = q | (i == 3)
    tl.store(out + i, tl.load(x + i), mask=m)
    tl.store(out + i, 5, mask=q & m)


@triton.jit
def held_string(x, y, out, n, N: tl.constexpr, S: tl.constexpr):
    if S == "abc":
        tl.store(out, n)


@triton.jit
def held_none(x, y, out, n, N: tl.constexpr):
    m = None
    i = tl.arange(0, N)
    if m is None:
        m = i < n
    tl.store(out + i, tl.load(x + i), mask=m)


@triton.jit
def held_dtype(x, y, out, n, N: tl.constexpr):
    t = tl.float32
    i = tl.arange(0, N)
    u = out.dtype.element_ty
    tl.store(out + i, tl.load(x + i).to(t) + tl.zeros((N,), u))


USUAL = {"x": "*fp16", "y": "*i8"}
"""Types of parameters in most of these kernels, if they differ from the usual ones."""
SIGNATURES = {
    "negative_const_unsigned": {"x": "*u8", "y": "*u32"},
    "literal_large_assigned": {"x": "*i8", "y": "*u32"},
    "held_arith": {"out": "*i32"},
    "held_fp64": {"x": "*fp64", "y": "*i64", "out": "*fp64"},
    "held_atomic": {"y": "*i32"},
    "held_scan_init": {"y": "*i32"},
    "held_bool_mask": {"y": "*i32"},
    "held_string": {"y": "*i32", "S": "abc"},
    "held_none": {"y": "*i32"},
    "held_dtype": {"y": "*i32"},
}
"""Parameters of single kernels that differ from the usual ones."""
