"""Tuples, named tuples, shapes and comprehensions: kernels for test_front_end.py."""

from collections import namedtuple
from typing import NamedTuple

import triton
import triton.language as tl


@triton.jit
def tuple_assign(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    a, b = b, a
    (c, d), e = (a, b), 3
    tl.store(out + i, c - d * e)


@triton.jit
def starred_call_f(a, b, c):
    return a + b * c


@triton.jit
def starred_call(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = (tl.load(x + i), 2.0)
    tl.store(out + i, starred_call_f(*t, 3.0))


@triton.jit
def tuple_return_f(a, b):
    return a + b, a - b


@triton.jit
def tuple_return(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    s, d = tuple_return_f(tl.load(x + i), tl.load(y + i))
    t = tuple_return_f(s, d)
    tl.store(out + i, t[0])
    tl.store(out + N + i, t[1] + s)


@triton.jit
def tuple_nested_return_f(a, b):
    return (a + b, a - b), a * b


@triton.jit
def tuple_nested_return(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    (s, d), p = tuple_nested_return_f(tl.load(x + i), tl.load(y + i))
    tl.store(out + i, s + d + p)


@triton.jit
def tuple_one_f(a):
    return (a,)


@triton.jit
def tuple_one(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    (s,) = tuple_one_f(tl.load(x + i))
    tl.store(out + i, s)


@triton.jit
def tuple_iterate_static(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    ptrs = (x, x + 16, x + 32)
    acc = tl.zeros((N,), tl.float32)
    for k in tl.static_range(3):
        acc += tl.load(ptrs[k] + i)
    tl.store(out + i, acc)


@triton.jit
def tuple_len(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = (1.0, 2.0, 3.0)
    acc = tl.load(x + i)
    for k in tl.static_range(len(t)):
        acc += t[k]
    tl.store(out + i, acc)


@triton.jit
def tuple_in_loop(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = (tl.zeros((N,), tl.float32), 0)
    for k in range(n):
        t = (t[0] + tl.load(x + i), t[1] + 1)
    tl.store(out + i, t[0] + t[1])


@triton.jit
def tuple_in_if(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    if n > 3:
        t = (tl.load(x + i), 1)
    else:
        t = (tl.zeros((N,), tl.float32), 2)
    tl.store(out + i, t[0] + t[1])


@triton.jit
def tuple_arg_const_f(p, shape: tl.constexpr):
    return tl.zeros(shape, tl.float32) + tl.load(p)


@triton.jit
def tuple_arg_const(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.sum(tuple_arg_const_f(x, (N, 4)), 1))


@triton.jit
def tuple_negative_index(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = (1, 2, 3)
    tl.store(out + i, t[-1] + n)


@triton.jit
def tuple_slice_f(a, b):
    return a * b


@triton.jit
def tuple_slice(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = (1, 2, 3, 4)
    tl.store(out + i, tuple_slice_f(*t[1:3]) + n)


@triton.jit
def tuple_concat(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = (1, 2) + (3, n)
    tl.store(out + i, t[3] + t[0])


@triton.jit
def tuple_equal(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t: tl.constexpr = (1, 2)
    if t == (1, 2):
        tl.store(out + i, n)


@triton.jit
def shape_index(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    k = a.shape[0]
    b: tl.constexpr = a.shape[0] // 2
    tl.store(out + i, a + k + b)
    tl.static_assert(a.shape[0] == N)


@triton.jit
def shape_unpack(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i[:, None] + tl.zeros((1, 2), tl.int32))
    M, K = a.shape
    tl.store(out + i, tl.sum(a, 1) * M + K)


@triton.jit
def shape_concat_f(a, k: tl.constexpr):
    shape: tl.constexpr = (a.shape[0] // k, k)
    return tl.reshape(a, shape)


@triton.jit
def shape_concat(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, N // 2), tl.sum(shape_concat_f(tl.load(x + i), 2), 1))


class NamedTuplePair(NamedTuple):
    a: tl.tensor
    b: tl.tensor


@triton.jit
def named_tuple_make(a, b):
    return NamedTuplePair(a, b)


@triton.jit
def named_tuple_use(p):
    return p.a * p.b


@triton.jit
def named_tuple(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = named_tuple_make(tl.load(x + i), tl.load(y + i))
    q = NamedTuplePair(p.b, p.a)
    tl.store(out + i, named_tuple_use(p) + named_tuple_use(q) + p[0])


class NamedtupleLoopState(NamedTuple):
    acc: tl.tensor
    k: tl.tensor


@triton.jit
def namedtuple_loop_step(s, v):
    return NamedtupleLoopState(s.acc + v, s.k + 1)


@triton.jit
def namedtuple_loop(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    s = NamedtupleLoopState(tl.zeros((N,), tl.float32), 0)
    for k in range(n):
        s = namedtuple_loop_step(s, tl.load(x + k * N + i))
    tl.store(out + i, s.acc + s.k)


NAMEDTUPLE_KWARGS_P = namedtuple("P", ["a", "b"])


@triton.jit
def namedtuple_kwargs(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = NAMEDTUPLE_KWARGS_P(a=tl.load(x + i), b=2)
    tl.store(out + i, p.a * p.b)


@triton.jit
def comprehension(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = [tl.load(x + k * N + i) for k in (0, 1, 2)]
    tl.store(out + i, t[0] + t[1] + t[2])


@triton.jit
def comprehension_filter(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = [k * 2 for k in (0, 1, 2, 3) if k % 2 == 1]
    tl.store(out + i, t[0] + t[1] + n)


@triton.jit
def comprehension_pairs(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = [a * b for a, b in ((1, 2), (3, n))]
    tl.store(out + i, t[0] + t[1])
