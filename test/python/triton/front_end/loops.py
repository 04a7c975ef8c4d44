"""Loops over ranges and conditions: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def pow_constexpr(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    K: tl.constexpr = N**2
    tl.store(out + i, K + 2**3 + 2.0**-1)


@triton.jit
def for_range_forms(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    acc = tl.zeros((N,), tl.float32)
    for k in range(n):
        acc += k
    for k in range(2, n):
        acc += k
    for k in range(2, n, 3):
        acc += k
    for k in range(n, 0, -1):
        acc += k * 2
    for k in range(0, n * N, N):
        acc += tl.load(x + k + i)
    for _ in range(3):
        acc *= 2
    tl.store(out + i, acc)


@triton.jit
def for_tl_range_all(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    acc = tl.zeros((N,), tl.float32)
    for k in tl.range(n):
        acc += k
    for k in tl.range(0, n, 1, num_stages=3):
        acc += k
    for k in tl.range(0, n, num_stages=2, loop_unroll_factor=2):
        acc += k
    for k in tl.range(0, n, 2, disallow_acc_multi_buffer=True, flatten=True):
        acc += k
    for k in tl.range(0, n, warp_specialize=False, disable_licm=True):
        acc += k
    for k in tl.range(0, n, num_stages=None):
        acc += k
    tl.store(out + i, acc)


@triton.jit
def for_tl_range_const(x, y, out, n, N: tl.constexpr):
    acc = 0
    for k in tl.range(0, N, 4):
        acc += k
    tl.store(out, acc)


@triton.jit
def for_static_range_nested(x, y, out, n, N: tl.constexpr):
    acc = 0
    for a in tl.static_range(3):
        for b in tl.static_range(a, 5, 2):
            for c in tl.static_range(3, 0, -1):
                acc += a * b + c * n
    tl.store(out, acc)


@triton.jit
def for_static_range_kwargs(x, y, out, n, N: tl.constexpr):
    acc = 0
    for a in tl.static_range(0, N, step=4):
        acc += a
    tl.store(out, acc)


@triton.jit
def loop_int64(x, y, out, n, N: tl.constexpr):
    acc = 0.0
    for k in range(n):
        acc += tl.load(x + k)
    tl.store(out, acc)


@triton.jit
def loop_mixed_bounds(x, y, out, n, m, N: tl.constexpr):
    acc = tl.zeros((), tl.int64)
    for k in range(m, n, 2):
        acc += k
    tl.store(out, acc)


@triton.jit
def loop_carried_const(x, y, out, n, N: tl.constexpr):
    a = 0
    b = 1.0
    c = True
    for k in range(n):
        a += k
        b = b * 2
        c = not c
    tl.store(out, a + b)
    tl.store(out + 1, c)


@triton.jit
def loop_local(x, y, out, n, N: tl.constexpr):
    for k in range(n):
        t = k * 2
        u = t + 1
        tl.store(out + k, u)


@triton.jit
def while_simple(x, y, out, n, N: tl.constexpr):
    k = 0
    acc = tl.zeros((N,), tl.float32)
    while k < n:
        acc += tl.load(x + k * N + tl.arange(0, N))
        k += 1
    tl.store(out + tl.arange(0, N), acc)


@triton.jit
def while_and(x, y, out, n, N: tl.constexpr):
    k = 0
    s = 0.0
    while k < n and s < 100.0:
        s += tl.load(x + k) * 3
        k += 1
    tl.store(out, s + k)


@triton.jit
def while_condition(x, y, out, n, N: tl.constexpr):
    k = 0
    while tl.condition(k < n, disable_licm=True):
        tl.store(out + k, k)
        k += 1


@triton.jit
def while_int_condition(x, y, out, n, N: tl.constexpr):
    k = n
    while k:
        tl.store(out + k, k)
        k -= 1


@triton.jit
def while_pointer_chase(x, y, out, n, N: tl.constexpr):
    k = tl.load(y)
    c = 0
    while k != 0 and c < 50:
        k = tl.load(y + k)
        c += 1
    tl.store(out, c)


@triton.jit
def while_nested_if(x, y, out, n, N: tl.constexpr):
    k = 0
    acc = 0
    while k < n:
        if k % 2 == 0:
            acc += k
            k += 1
        else:
            k += 2
    tl.store(out, acc)


@triton.jit
def while_call_in_condition_go(k, n):
    return k < n


@triton.jit
def while_call_in_condition(x, y, out, n, N: tl.constexpr):
    k = 0
    while while_call_in_condition_go(k, n):
        k += 1
    tl.store(out, k)


SIGNATURES = {"loop_int64": {"n": "i64"}, "loop_mixed_bounds": {"out": "*i64", "n": "i64", "m": "i32"}}
"""Parameters of single kernels that differ from the usual ones."""
