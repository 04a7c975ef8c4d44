"""Calls, defaults, globals and closures: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def kwargs_call_f(a, b, *, c=3):
    return a - b * c


@triton.jit
def kwargs_call(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, kwargs_call_f(b=tl.load(x + i), a=n) + kwargs_call_f(n, n, c=5))


@triton.jit
def defaults_f(a, b=2, K: tl.constexpr = 4, D: tl.constexpr = None):
    if D is None:
        return a * b + K
    return a


@triton.jit
def defaults(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, defaults_f(tl.load(x + i)) + defaults_f(n, D=1) + defaults_f(n, K=n))


DEFAULT_GLOBAL_G = tl.constexpr(7)


@triton.jit
def default_global_f(a, b: tl.constexpr = DEFAULT_GLOBAL_G):
    return a * b


@triton.jit
def default_global(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, default_global_f(tl.load(x + i)) + DEFAULT_GLOBAL_G)


GLOBAL_DTYPE_DT = tl.float16


@triton.jit
def global_dtype(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(GLOBAL_DTYPE_DT))


GLOBAL_CONSTEXPR_KINDS_A = tl.constexpr(1.5)
GLOBAL_CONSTEXPR_KINDS_B = tl.constexpr("s")
GLOBAL_CONSTEXPR_KINDS_C = tl.constexpr((1, 2))
GLOBAL_CONSTEXPR_KINDS_D = tl.constexpr(None)
GLOBAL_CONSTEXPR_KINDS_E = tl.constexpr(tl.float32)


@triton.jit
def global_constexpr_kinds(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i) * GLOBAL_CONSTEXPR_KINDS_A
    if GLOBAL_CONSTEXPR_KINDS_B == "s":
        v += GLOBAL_CONSTEXPR_KINDS_C[1]
    if GLOBAL_CONSTEXPR_KINDS_D is None:
        v = v.to(GLOBAL_CONSTEXPR_KINDS_E)
    tl.store(out + i, v)


def closure_make(k):
    K = tl.constexpr(k)

    @triton.jit
    def inner(x, y, out, n, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + i) * K)

    return inner


closure = closure_make(3)


def closure_function_make(f):
    @triton.jit
    def inner(x, y, out, n, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, f(tl.load(x + i)))

    return inner


@triton.jit
def closure_function_g(a):
    return a * 2 + 1


closure_function = closure_function_make(closure_function_g)


@triton.jit
def function_argument_g(a):
    return a * 2 + 1


@triton.jit
def function_argument_app(f: tl.constexpr, a):
    return f(a)


@triton.jit
def function_argument(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, function_argument_app(function_argument_g, tl.load(x + i)))


@triton.constexpr_function
def constexpr_function_log2(n):
    k = 0
    while n > 1:
        n //= 2
        k += 1
    return k


@triton.jit
def constexpr_function(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, 2 ** constexpr_function_log2(N))
    K: tl.constexpr = constexpr_function_log2(N)
    tl.store(out + i, tl.load(x + i) + constexpr_function_log2(N) + K)


@triton.constexpr_function
def constexpr_function_shape_half(shape):
    return [s // 2 for s in shape]


@triton.jit
def constexpr_function_shape(x, y, out, n, N: tl.constexpr):
    z = tl.zeros(constexpr_function_shape_half((N, 8)), tl.float32)
    tl.store(out + tl.arange(0, 8), tl.sum(z + n, 1))


@triton.constexpr_function
def constexpr_function_dtype_wide(t):
    return tl.float64 if t.is_fp32() else t


@triton.jit
def constexpr_function_dtype(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, a.to(constexpr_function_dtype_wide(a.dtype)) + 1)


@triton.jit(noinline=True)
def noinline_f(a, n):
    return a * n + 1


@triton.jit
def noinline(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, noinline_f(n, 3))


@triton.jit(noinline=True)
def noinline_pointer_f(p, n):
    tl.store(p, n)


@triton.jit
def noinline_pointer(x, y, out, n, N: tl.constexpr):
    noinline_pointer_f(out, n)
    noinline_pointer_f(out + 1, n * 2)


@triton.jit
def varargs_f(a, *rest):
    s = a
    for k in tl.static_range(len(rest)):
        s += rest[k]
    return s


@triton.jit
def varargs(x, y, out, n, N: tl.constexpr):
    tl.store(out, varargs_f(n, 1, 2, n))
    tl.store(out + 1, varargs_f(n))
