"""Branches and conditions: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def add_statement(x, y, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = i < n
    a = tl.load(x + i, mask=m, other=0.0)
    b = tl.load(y + i, mask=m)
    tl.store(out + i, a + b, mask=m)


@triton.jit
def and_or_not_blocks(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    m = (a > 0 and b > 3) or not (a < 1)
    tl.store(out + i, tl.where(m, a, b))


@triton.jit
def and_of_three(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    m = a > 0 and i < n and i % 2 == 0
    tl.store(out + i, a, mask=m)


@triton.jit
def and_scalars_runtime(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    pid = tl.program_id(0)
    if pid == 0 and n > 3 or n < 0:
        tl.store(out + i, tl.load(x + i))


@triton.jit
def and_constexpr_runtime(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    pid = tl.program_id(0)
    FLAG: tl.constexpr = N > 8
    if FLAG and pid == 0:
        tl.store(out + i, tl.load(x + i))
    if not FLAG or n > 3:
        tl.store(out + N + i, tl.load(x + i) + 1)


@triton.jit
def and_of_integers(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    if n and i.shape[0]:
        tl.store(out + i, tl.load(x + i))


@triton.jit
def if_int_scalar(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    if n:
        tl.store(out + i, tl.load(x + i))
    if n - 11:
        tl.store(out + i, tl.load(x + i) + 1)


@triton.jit
def if_float_scalar(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x)
    if a:
        tl.store(out + i, tl.load(x + i))


@triton.jit
def if_pointer(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    if x is not None:
        tl.store(out + i, tl.load(x + i))


@triton.jit
def if_none_constexpr(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if y is not None:
        a += tl.load(y + i)
    if y is None and n > 3:
        a += 1
    tl.store(out + i, a)


@triton.jit
def not_none(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if not y:
        a += 1
    tl.store(out + i, a)


@triton.jit
def if_one_element_block(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + tl.arange(0, 1))
    if a > 0:
        tl.store(out + i, tl.load(x + i))


@triton.jit
def chained_compare(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    m = -1 < a < 1
    if 0 <= n < 100:
        tl.store(out + i, a, mask=m)


@triton.jit
def chained_compare_mixed(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if 0 < N <= n + 5 != 3:
        tl.store(out + i, a)


@triton.jit
def walrus(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    if (k := n + 1) > 3:
        tl.store(out + i, tl.load(x + i) + k)


@triton.jit
def walrus_in_call(x, y, out, n, N: tl.constexpr):
    a = tl.load(x + (i := tl.arange(0, N)))
    tl.store(out + i, a)


@triton.jit
def ternary_runtime(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    k = 3 if n > 5 else 4
    z = tl.load(x + i) if n > 2 else tl.zeros((N,), tl.float32)
    tl.store(out + i, z * k)


@triton.jit
def ternary_constexpr(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    k = tl.load(x + i) if N > 4 else 0
    tl.store(out + i, k if N > 8 else n)


@triton.jit
def ternary_nested(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    k = 1 if n > 50 else 2 if n > 10 else 3
    tl.store(out + i, k)


@triton.jit
def ternary_none(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    m = None if N == 16 else i < n
    tl.store(out + i, tl.load(x + i, mask=m), mask=m)


@triton.jit
def augmented(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    a += 1
    a -= b
    a *= 2
    a /= 3
    b //= 2
    b %= 5
    b <<= 1
    b >>= 1
    b |= 8
    b &= 0xF
    b ^= 3
    tl.store(out + i, a + b)


@triton.jit
def augmented_pointer(x, y, out, n, N: tl.constexpr):
    x += tl.program_id(0) * N
    out += tl.program_id(0) * N
    p = x + tl.arange(0, N)
    acc = tl.zeros((N,), tl.float32)
    for k in range(0, 3):
        acc += tl.load(p)
        p += 2 * N
    tl.store(out + tl.arange(0, N), acc)


@triton.jit
def if_defines_both(x, y, out, n, N: tl.constexpr):
    if n > 3:
        a = 1
        b = n
    else:
        a = 2
        b = 4
    tl.store(out, a + b)


@triton.jit
def elif_chain(x, y, out, n, N: tl.constexpr):
    if n == 1:
        a = 1.0
    elif n == 2:
        a = 2.0
    elif n > 10:
        a = 3.0
    else:
        a = 4.0
    tl.store(out, a)


@triton.jit
def if_string_constexpr_act(a, ACT: tl.constexpr):
    if ACT == "relu":
        return tl.maximum(a, 0)
    elif ACT == "none" or ACT == "":
        return a
    else:
        tl.static_assert(False, "unknown")


@triton.jit
def if_string_constexpr(x, y, out, n, N: tl.constexpr, ACT: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, if_string_constexpr_act(tl.load(x + i), ACT))


SIGNATURES = {"if_none_constexpr": {"y": None}, "not_none": {"y": None}, "if_string_constexpr": {"ACT": "relu"}}
"""Parameters of single kernels that differ from the usual ones."""
