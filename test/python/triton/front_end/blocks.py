"""Reductions, scans, sorts and shapes of blocks, loads and stores: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def reductions(x, y, out, z, u, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.load(x + i), tl.load(y + i), tl.load(z + i), tl.load(u + i)
    tl.device_print("s", tl.sum(a), tl.sum(b), tl.sum(c), tl.sum(d), tl.sum(a > 0))
    tl.device_print("m", tl.max(a, 0), tl.max(b, 0), tl.min(c, 0), tl.min(d, 0), tl.max(i, 0))
    tl.device_print("a", tl.argmax(a, 0), tl.argmin(b, 0, tie_break_left=False))
    v, k = tl.max(a, 0, return_indices=True)
    tl.device_print("v", v, k)
    v, k = tl.min(b, axis=0, return_indices=True, return_indices_tie_break_left=False)
    tl.device_print("v", v, k)
    tl.device_print(
        "k",
        tl.sum(a, 0, keep_dims=True),
        tl.max(a, keep_dims=True),
        tl.sum(a, dtype=tl.float32),
        tl.sum(b, 0, dtype=tl.int64),
    )
    tl.device_print("x", tl.xor_sum(b, 0), tl.reduce_or(d, 0))


@triton.jit
def reductions_2d(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(out + i, tl.sum(a, 1))
    tl.store(out + N + i, tl.max(a, axis=0))
    tl.store(out + 2 * N, tl.sum(a))
    tl.store(out + 3 * N + i[:, None], tl.sum(a, 1, keep_dims=True))
    tl.store(out + 4 * N + i, tl.argmax(a, 1))
    tl.store(out + 5 * N + i, tl.argmin(a, -1))
    tl.store(out + 6 * N, a.sum(axis=1).max(axis=0))


@triton.jit
def reduce_custom_comb(a, b):
    return tl.maximum(a, b) + 0


@triton.jit
def reduce_custom(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out, tl.reduce(tl.load(x + i), 0, reduce_custom_comb))


@triton.jit
def reduce_tuple_welford(m1, s1, w1, m2, s2, w2):
    d = m2 - m1
    w = w1 + w2
    r = tl.where(w == 0.0, 0.0, w2 / w)
    return m1 + d * r, s1 + s2 + d * d * w1 * r, w


@triton.jit
def reduce_tuple(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    m, s, w = tl.reduce((a, tl.zeros_like(a), tl.full((N,), 1.0, tl.float32)), 0, reduce_tuple_welford)
    tl.store(out, m)
    tl.store(out + 1, s)
    tl.store(out + 2, w)


@triton.jit
def reduce_keep_dims_tuple_amax(v1, i1, v2, i2):
    g = v1 > v2
    return tl.where(g, v1, v2), tl.where(g, i1, i2)


@triton.jit
def reduce_keep_dims_tuple(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    v, k = tl.reduce((a, i), axis=0, combine_fn=reduce_keep_dims_tuple_amax, keep_dims=True)
    tl.store(out + tl.arange(0, 1), v)
    tl.store(out + 1 + tl.arange(0, 1), k)


@triton.jit
def reduce_none_axis_add(a, b):
    return a + b


@triton.jit
def reduce_none_axis(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(out, tl.reduce(a, None, reduce_none_axis_add))


@triton.jit
def scan_custom_add(a, b):
    return a + b


@triton.jit
def scan_custom(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.associative_scan(tl.load(x + i), 0, scan_custom_add))
    tl.store(out + N + i, tl.associative_scan(tl.load(x + i), 0, scan_custom_add, reverse=True))


@triton.jit
def scan_tuple_first_order(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scan_tuple(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.associative_scan((tl.load(x + i), tl.load(x + N + i)), 0, scan_tuple_first_order)
    tl.store(out + i, a)
    tl.store(out + N + i, b)


@triton.jit
def cumsum_forms(x, y, out, z, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c = tl.load(x + i), tl.load(y + i), tl.load(z + i)
    tl.device_print(
        "c",
        tl.cumsum(a),
        tl.cumsum(b, 0),
        tl.cumsum(c),
        tl.cumsum(a, 0, dtype=tl.float32),
        tl.cumprod(b),
        tl.cumprod(a, 0, reverse=True),
    )
    tl.device_print("c", tl.cumsum(i > 3, 0), tl.cumsum(b, reverse=True))


@triton.jit
def sorts(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.sort(a))
    tl.store(out + N + i, tl.sort(a, descending=True))
    tl.store(out + 2 * N + i, tl.flip(a))
    tl.store(out + 3 * N + tl.arange(0, 4), tl.topk(a, 4))
    b = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(out + 4 * N + i[:, None] * N + i[None, :], tl.sort(b, dim=1))
    tl.store(out + 30 * N + i[:, None] * N + i[None, :], tl.flip(b, 0))
    tl.store(out + 60 * N + i[:, None] * 4 + tl.arange(0, 4)[None, :], tl.topk(b, 4, dim=1))


@triton.jit
def topk_ascending(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + tl.arange(0, 4), tl.topk(a, 4, descending=False))


@triton.jit
def sort_ints(x, y, out, z, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("s", tl.sort(tl.load(y + i)), tl.sort(tl.load(z + i)), tl.topk(tl.load(x + i), 2))


@triton.jit
def gather(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.gather(a, tl.load(y + i), 0))
    b = tl.load(x + i[:, None] * N + i[None, :])
    k = tl.load(y + i[:, None] * N + i[None, :])
    tl.store(out + N + i[:, None] * N + i[None, :], tl.gather(b, k, axis=1))
    tl.store(out + 20 * N + i[:, None] * N + i[None, :], b.gather(k, 0))


@triton.jit
def histogram(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    k = tl.load(y + i)
    h = tl.histogram(k, 16)
    tl.store(out + i, h)
    tl.store(out + N + i, tl.histogram(k, 16, mask=k < 5))


@triton.jit
def map_elementwise_f(a, b):
    return a + b, a - b


@triton.jit
def map_elementwise_g(a):
    if a > 0:
        return a * 2
    else:
        return a * 3


@triton.jit
def map_elementwise(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    s, d = tl.map_elementwise(map_elementwise_f, tl.load(x + i), tl.load(x + N + i))
    tl.store(out + i, s * d)
    tl.store(out + N + i, tl.map_elementwise(map_elementwise_g, tl.load(x + i)))


@triton.jit
def shapes(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.reshape(a, (4, 4))
    c = a.reshape(2, 8)
    d = tl.trans(b)
    e = b.T
    f = tl.permute(c, 1, 0)
    g = c.trans(1, 0)
    tl.store(out + i, tl.ravel(d + e))
    tl.store(out + N + i, tl.ravel(f - g + 1))
    h = tl.expand_dims(a, 0)
    j = tl.broadcast_to(h, (4, 16))
    tl.store(out + 2 * N + i, tl.sum(j, 0))
    k = tl.join(a, a * 2)
    l, m = tl.split(k)
    tl.store(out + 3 * N + i, l + m)
    o = tl.interleave(a, a + 1)
    tl.store(out + 4 * N + tl.arange(0, 32), o)
    p = tl.cat(a, a + 1, can_reorder=True)
    tl.store(out + 6 * N + tl.arange(0, 32), tl.sort(p))
    q = tl.cat(a, a + 1)
    tl.store(out + 8 * N + tl.arange(0, 32), q)
    r = tl.unsqueeze(a, 0)
    tl.store(out + 10 * N + i, tl.squeeze(r, 0))
    tl.store(out + 11 * N + i, tl.view(b, (16,)))
    u, v = tl.broadcast(a[:, None], a[None, :])
    tl.store(out + 12 * N + i, tl.sum(u * v, 1))


@triton.jit
def shape_args_forms(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    SH: tl.constexpr = (4, N // 4)
    b = a.reshape(SH)
    c = a.reshape([4, 4])
    d = tl.reshape(a, 4, 4)
    e = tl.zeros(SH, dtype=a.dtype)
    f = tl.full([4, 4], 1, dtype=tl.float32)
    g = tl.full((4, 4), n, tl.float32)
    h = tl.zeros_like(b) + tl.full(b.shape, 2.0, b.dtype)
    tl.store(out + i, (b + c + d + e + f + g + h).reshape(N))
    tl.store(out + N + i, tl.broadcast_to(n, (N,)))
    tl.store(out + 2 * N + i, tl.broadcast_to(a[None, :], 1, N).reshape(N))


@triton.jit
def creation(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.zeros([N], tl.int32) + tl.full([N], 3, tl.int32) + tl.full((N,), True, tl.int1))
    tl.store(out + N, tl.zeros([], tl.float32) + tl.full([], 1, tl.float32))
    tl.store(out + N + 1, tl.full((), n, tl.int64))
    tl.store(out + N + 2 + i, tl.arange(3, 3 + N))


@triton.jit
def store_broadcast(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, 1)
    tl.store(out + N + i, n)
    tl.store(out + 2 * N + i[:, None] * N + i[None, :], i[None, :])
    tl.store(out + i, tl.load(x + i), mask=n > 3)
    tl.store(out + i[:, None] * N + i[None, :], 2, mask=i[:, None] < n)


@triton.jit
def load_forms(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    m = i < n
    a = tl.load(x + i, m)
    b = tl.load(x + i, m, 0)
    c = tl.load(x + i, mask=m, other=float("-inf"))
    d = tl.load(x + i, cache_modifier=".ca", eviction_policy="evict_first", volatile=True)
    e = tl.load(x + i, mask=m, other=tl.load(x + N + i))
    f = tl.load(x)
    g = tl.load(x, mask=n > 3, other=1)
    h = tl.load(x + i[:, None] * N + i[None, :], mask=m[:, None] & m[None, :], other=0)
    k = tl.load(x + i, mask=True)
    tl.store(
        out + i,
        tl.where(m, a + b + c, d + e + f + g + k) + tl.sum(h, 0),
        cache_modifier=".wb",
        eviction_policy="evict_last",
    )


@triton.jit
def pointer_cast(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x.to(tl.pointer_type(tl.int32))
    tl.store(out + i, tl.load(p + i) & 0xFF)
    q = tl.cast(x, tl.pointer_type(tl.uint8), bitcast=True)
    tl.store(out + N + i, tl.load(q + i))


@triton.jit
def int_to_pointer(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = tl.load(x).to(tl.pointer_type(tl.float32))
    tl.store(out + i, tl.load(p + i))
    q = tl.load(x + i).to(tl.pointer_type(tl.float16))
    tl.store(out + i, tl.load(q))


@triton.jit
def bool_pointer(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(x + i, mask=i < n, other=False)
    tl.store(out + i, a & b)
    tl.store(out + N + i, i > 3)
    tl.store(out + 2 * N + i, tl.load(y + i))


SIGNATURES = {
    "reductions": {"x": "*fp16", "y": "*i8", "z": "*bf16", "u": "*u8"},
    "cumsum_forms": {"x": "*fp16", "y": "*i8", "z": "*bf16"},
    "sort_ints": {"x": "*fp16", "y": "*i8", "z": "*bf16"},
    "int_to_pointer": {"x": "*i64"},
    "bool_pointer": {"x": "*i1", "out": "*i1"},
}
"""Parameters of single kernels that differ from the usual ones."""
COMPILED_ONLY = ("int_to_pointer",)
"""Kernels that are compiled, but not run."""
