"""Early returns and their values: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def early_return(x, y, out, n, N: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= n:
        return
    i = tl.arange(0, N)
    tl.store(out + pid * N + i, tl.load(x + i))


@triton.jit
def early_return_several(x, y, out, n, N: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    if pid >= n:
        return
    if n == 3:
        tl.store(out + i, 1)
        return
    elif n == 4:
        tl.store(out + i, 2)
        return
    else:
        tl.store(out + i, 3)
    tl.store(out + N + i, tl.load(x + i))


@triton.jit
def early_return_nested(x, y, out, n, N: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    if n > 2:
        if pid == 0:
            tl.store(out + i, 1)
            return
        else:
            if n > 10:
                tl.store(out + N + i, 2)
                return
        tl.store(out + 2 * N + i, 3)
    tl.store(out + 3 * N + i, 4)


@triton.jit
def early_return_loop_inside(x, y, out, n, N: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    if pid == 0:
        for k in range(n):
            tl.store(out + k * N + i, k)
        return
    tl.store(out + 20 * N + i, 4)


@triton.jit
def early_return_value_f(a, n):
    if n > 3:
        return a + 1
    return a - 1


@triton.jit
def early_return_value(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, early_return_value_f(tl.load(x + i), n))


@triton.jit
def early_return_value_else_f(a, n):
    if n > 3:
        return a + 1
    else:
        return a - 1


@triton.jit
def early_return_value_else(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, early_return_value_else_f(tl.load(x + i), n))


@triton.jit
def early_return_tuple_f(a, n):
    if n > 30:
        return a + 1, 2
    b = a * 2
    if n > 20:
        return b, 3
    return a - 1, 4


@triton.jit
def early_return_tuple(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = early_return_tuple_f(tl.load(x + i), n)
    tl.store(out + i, a * b)


@triton.jit
def early_return_const_types_f(n):
    if n > 30:
        return 1
    return 2


@triton.jit
def early_return_const_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, early_return_const_types_f(n))


@triton.jit
def early_return_const_runtime_f(n):
    if n > 30:
        return 1
    return n


@triton.jit
def early_return_const_runtime(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, early_return_const_runtime_f(n))


@triton.jit
def return_in_constexpr_if_f(a, K: tl.constexpr):
    if K == 1:
        return a + 1
    elif K == 2:
        return a + 2
    return a


@triton.jit
def return_in_constexpr_if(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(
        out + i,
        return_in_constexpr_if_f(n, 1) + return_in_constexpr_if_f(n, 2) * return_in_constexpr_if_f(tl.load(x + i), 3),
    )


@triton.jit
def return_none_explicit_f(p, n):
    tl.store(p, n)
    return None


@triton.jit
def return_none_explicit(x, y, out, n, N: tl.constexpr):
    return_none_explicit_f(out, n)
    return_none_explicit_f(out + 1, n + 1)


@triton.jit
def return_in_static_loop_f(a, K: tl.constexpr):
    for k in tl.static_range(4):
        if k == K:
            return a + k
    return a


@triton.jit
def return_in_static_loop(x, y, out, n, N: tl.constexpr):
    tl.store(out, return_in_static_loop_f(n, 2))


@triton.jit
def dead_code_after_return(x, y, out, n, N: tl.constexpr):
    tl.store(out, n)
    return
    tl.store(out, undefined_name)
