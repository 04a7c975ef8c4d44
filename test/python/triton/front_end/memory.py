"""Tensor descriptors, atomics and programs: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def descriptor_device(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n, 40], [40, 1], [8, 16])
    e = tl.make_tensor_descriptor(out, shape=[n, 40], strides=[40, 1], block_shape=[8, 16], padding_option="nan")
    a = d.load([0, 3])
    b = tl.load_tensor_descriptor(d, [4, 30])
    e.store([2, 0], a + b)
    tl.store_tensor_descriptor(e, [8, 30], a)
    c = e.load([9, 35])
    tl.device_print("c", c)
    tl.static_assert(d.block_shape[0] == 8)
    tl.static_assert(d.dtype == tl.float32)
    tl.store(out, d.shape[0])
    tl.store(out + 1, d.strides[0])


@triton.jit
def descriptor_in_loop_f(d, k):
    return d.load([0, k * 16])


@triton.jit
def descriptor_in_loop(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [8, 64], [64, 1], [8, 16])
    acc = tl.zeros((8, 16), tl.float32)
    for k in tl.range(0, 4):
        acc += descriptor_in_loop_f(d, k)
    i = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(out + i, acc)


@triton.jit
def descriptor_atomics(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(out, [8, 64], [64, 1], [8, 16])
    i = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]
    v = tl.load(y + i)
    d.atomic_add([0, 0], v)
    d.atomic_max([0, 16], v)
    d.atomic_min([0, 32], v - 5)
    d.atomic_and([0, 0], v)
    d.atomic_or([0, 0], v)
    d.atomic_xor([0, 4], v)


@triton.jit
def descriptor_gather(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [64, 64], [64, 1], [1, 64])
    e = tl.make_tensor_descriptor(out, [64, 64], [64, 1], [1, 64])
    rows = tl.load(y + tl.arange(0, 16))
    v = d.gather(rows, 0)
    e.scatter(v, tl.arange(0, 16) * 2, 0)


@triton.jit
def descriptor_1d(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n], [1], [16])
    e = tl.make_tensor_descriptor(out, [n], [1], [16])
    e.store([0], d.load([0]))


@triton.jit
def descriptor_store_cast(x, y, out, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n], [1], [16])
    e = tl.make_tensor_descriptor(out, [n], [1], [16])
    e.store([0], d.load([0]))


@triton.jit
def atomics_all(x, y, out, u, n, N: tl.constexpr):
    i = tl.arange(0, N)
    m = i < n
    a = tl.atomic_add(out + i, tl.load(x + i), mask=m)
    b = tl.atomic_add(y + i, 2, sem="relaxed")
    c = tl.atomic_max(y + i, i, mask=m, sem="acquire", scope="cta")
    d = tl.atomic_min(y + i, i - 3, sem="release", scope="sys")
    e = tl.atomic_and(y + i, 7, sem="acq_rel", scope="gpu")
    f = tl.atomic_or(y + i, 8)
    g = tl.atomic_xor(y + i, 3)
    h = tl.atomic_xchg(y + i, i)
    j = tl.atomic_cas(y + i, i, i + 1)
    k = tl.atomic_max(out + 100 + i, tl.load(x + i))
    l = tl.atomic_min(out + 200 + i, tl.load(x + i))
    o = tl.atomic_max(u + i, 5)
    p = tl.atomic_xchg(out + 300, 2.5)
    q = tl.atomic_add(out + 301, 1.0)
    r = tl.atomic_cas(y + 50, 0, 1, sem="acquire")
    tl.device_print("a", a, b, c, d, e, f, g, h, j, k, l, o)
    tl.device_print("s", p, q, r)


@triton.jit
def atomics_methods(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = out + i
    p.atomic_add(tl.load(x + i))
    (y + i).atomic_max(3)
    p.store(tl.load(x + i), mask=i < 3)


@triton.jit
def atomic_load_store(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.atomic_load(y + i, sem="acquire", scope="gpu")
    tl.atomic_store(out + i, a.to(tl.float32), sem="release")


@triton.jit
def atomic_i64_f16(x, y, out, b, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(y + i, i)
    tl.atomic_add(x + i, 1.0)
    tl.atomic_add(b + i, 1.0)
    tl.atomic_add(out + i, 1.0)
    tl.atomic_max(y + i, i * 2)


@triton.jit
def lock(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    lock = y + 100
    tl.store(lock, 0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + i, tl.load(out + i) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def gdc(x, y, out, n, N: tl.constexpr):
    tl.extra.cuda.gdc_wait()
    tl.store(out, n)
    tl.extra.cuda.gdc_launch_dependents()


@triton.jit
def programs(x, y, out, n, N: tl.constexpr):
    a, b, c = tl.program_id(0), tl.program_id(1), tl.program_id(axis=2)
    d = tl.num_programs(0) * tl.num_programs(1) + tl.num_programs(2)
    tl.store(out + a * 6 + b * 2 + c, a + b + c + d)


SIGNATURES = {
    "descriptor_atomics": {"out": "*i32"},
    "descriptor_gather": {"x": "*fp16", "out": "*fp16"},
    "descriptor_store_cast": {"out": "*fp16"},
    "atomics_all": {"u": "*u32"},
    "atomic_i64_f16": {"x": "*fp16", "y": "*i64", "out": "*fp64", "b": "*bf16"},
}
"""Parameters of single kernels that differ from the usual ones."""
GRIDS = {
    "descriptor_device": (1,),
    "descriptor_in_loop": (1,),
    "descriptor_atomics": (1,),
    "descriptor_gather": (1,),
    "descriptor_1d": (1,),
    "descriptor_store_cast": (1,),
    "programs": (2, 3, 2),
}
COMPILED_ONLY = ("gdc",)
"""Kernels that are compiled, but not run."""
