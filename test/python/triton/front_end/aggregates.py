"""Aggregate classes: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.aggregate
class AggregateSimplePair:
    a: tl.tensor
    b: tl.tensor

    @triton.jit
    def total(self):
        return self.a + self.b

    @triton.jit
    def swapped(self):
        return AggregateSimplePair(self.b, self.a)


@triton.jit
def aggregate_simple(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = AggregateSimplePair(tl.load(x + i), tl.load(y + i))
    q = p.swapped()
    tl.store(out + i, p.total() * 2 + q.a)


@triton.aggregate
class AggregateInitTile:
    ptr: tl.tensor
    stride: tl.tensor
    BLOCK: tl.constexpr

    @triton.constexpr_function
    def __init__(self, ptr, stride, BLOCK):
        self.ptr = ptr
        self.stride = stride
        self.BLOCK = tl.constexpr(BLOCK)

    @triton.jit
    def create(ptr, stride, BLOCK: tl.constexpr):
        return AggregateInitTile(ptr, stride, BLOCK)

    @triton.jit
    def load(self, k):
        return tl.load(self.ptr + k * self.stride + tl.arange(0, self.BLOCK))


@triton.jit
def aggregate_init(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = AggregateInitTile.create(x, n, N)
    tl.store(out + i, t.load(0) + t.load(1))


@triton.aggregate
class AggregateInLoopState:
    acc: tl.tensor
    k: tl.tensor

    @triton.jit
    def step(self, v):
        return AggregateInLoopState(self.acc + v, self.k + 1)


@triton.jit
def aggregate_in_loop(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    s = AggregateInLoopState(tl.zeros((N,), tl.float32), tl.to_tensor(0))
    for k in range(n):
        s = s.step(tl.load(x + k * N + i))
    tl.store(out + i, s.acc + s.k)


@triton.aggregate
class AggregateInIfState:
    acc: tl.tensor
    k: tl.tensor


@triton.jit
def aggregate_in_if(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    s = AggregateInIfState(tl.zeros((N,), tl.float32), n)
    if n > 3:
        s = AggregateInIfState(tl.load(x + i), n + 1)
    tl.store(out + i, s.acc + s.k)


@triton.aggregate
class AggregateOperatorsComplex:
    re: tl.tensor
    im: tl.tensor

    @triton.jit
    def __add__(self, other):
        return AggregateOperatorsComplex(self.re + other.re, self.im + other.im)

    @triton.jit
    def __mul__(self, other):
        return AggregateOperatorsComplex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )


@triton.jit
def aggregate_operators(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = AggregateOperatorsComplex(tl.load(x + i), tl.load(x + N + i))
    b = a * a + a
    tl.store(out + i, b.re + b.im)


@triton.aggregate
class AggregateGetitemNegV:
    a: tl.tensor

    @triton.jit
    def __neg__(self):
        return AggregateGetitemNegV(-self.a)

    @triton.jit
    def __getitem__(self, k):
        return self.a + k


@triton.jit
def aggregate_getitem_neg(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = -AggregateGetitemNegV(tl.load(x + i))
    tl.store(out + i, v[3])


@triton.aggregate
class AggregateRaddNumberV:
    a: tl.tensor

    @triton.jit
    def __add__(self, other):
        return AggregateRaddNumberV(self.a + other)

    @triton.jit
    def __radd__(self, other):
        return AggregateRaddNumberV(self.a + 2 * other)


@triton.jit
def aggregate_radd_number(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = 1 + AggregateRaddNumberV(tl.load(x + i)) + 3
    tl.store(out + i, v.a)


@triton.aggregate
class AggregateReplaceS:
    a: tl.tensor
    b: tl.tensor


@triton.jit
def aggregate_replace(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    s = AggregateReplaceS(tl.load(x + i), n)
    t = tl.aggregate_replace(s, b=n + 1)
    tl.store(out + i, t.a * t.b)


@triton.aggregate
class AggregateNestedIn:
    a: tl.tensor


@triton.aggregate
class AggregateNestedOut:
    u: AggregateNestedIn
    v: tl.tensor

    @triton.jit
    def sum(self):
        return self.u.a + self.v


@triton.jit
def aggregate_nested(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    o = AggregateNestedOut(AggregateNestedIn(tl.load(x + i)), tl.load(y + i))
    tl.store(out + i, o.sum())


@triton.aggregate
class AggregateConstexprMethodCfg:
    B: tl.constexpr

    @triton.constexpr_function
    def half(self):
        return self.B // 2


@triton.jit
def aggregate_constexpr_method(x, y, out, n, N: tl.constexpr):
    c = AggregateConstexprMethodCfg(N)
    i = tl.arange(0, c.half())
    tl.store(out + i, tl.load(x + i))


@triton.aggregate
class AggregateInheritA:
    a: tl.tensor

    @triton.jit
    def get(self):
        return self.a


@triton.aggregate
class AggregateInheritB(AggregateInheritA):
    b: tl.tensor

    @triton.jit
    def both(self):
        return self.get() + self.b


@triton.jit
def aggregate_inherit(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, AggregateInheritB(tl.load(x + i), n).both())


@triton.aggregate
class AggregateStaticFieldDefaultA:
    a: tl.tensor
    K: tl.constexpr

    @triton.jit
    def get(self):
        if self.K == 2:
            return self.a * 2
        return self.a


@triton.jit
def aggregate_static_field_default(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, AggregateStaticFieldDefaultA(tl.load(x + i), 2).get() + AggregateStaticFieldDefaultA(n, 3).get())


@triton.aggregate
class AggregateTupleFieldA:
    t: tl.tuple


@triton.jit
def aggregate_tuple_field(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = AggregateTupleFieldA((tl.load(x + i), n))
    tl.store(out + i, a.t[0] * a.t[1])
