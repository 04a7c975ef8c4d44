"""Statements and calls that both front ends refuse: kernels for test_front_end.py."""

import triton
import triton.language as tl


@triton.jit
def if_not_int_scalar(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    if not n:
        tl.store(out + i, tl.load(x + i))
    else:
        tl.store(out + i, tl.load(x + i) + 1)


@triton.jit
def if_block(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    if tl.load(x + i) > 0:
        tl.store(out + i, tl.load(x + i))


@triton.jit
def ternary_mismatch(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    k = 3 if n > 5 else 4.5
    tl.store(out + i, k)


@triton.jit
def starred_target(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, *b = (1, 2, 3)
    tl.store(out + i, a)


@triton.jit
def nested_comprehension(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = [a * b for a in (1, 2) for b in (3, 4)]
    tl.store(out + i, t[0])


@triton.jit
def nested_def(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)

    def g(a):
        return a

    tl.store(out + i, g(n))


@triton.jit
def lambda_statement(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    g = lambda a: a + 1
    tl.store(out + i, g(n))


@triton.jit
def break_statement(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    for k in range(n):
        if k > 3:
            break
    tl.store(out + i, n)


@triton.jit
def continue_statement(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    for k in range(n):
        continue
    tl.store(out + i, n)


@triton.jit
def del_statement(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = n
    del a
    tl.store(out + i, n)


@triton.jit
def multi_assign(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = [1, 2]
    a[0] = 5
    tl.store(out + i, a[0])


@triton.jit
def try_statement(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    try:
        a = 1
    except ValueError:
        a = 2
    tl.store(out + i, a)


@triton.jit
def recursion_f(a):
    return recursion_f(a)


@triton.jit
def recursion(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, recursion_f(n))


@triton.jit
def pow(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) ** 2)


@triton.jit
def early_return_types_f(a, n):
    if n > 30:
        return a + 1
    return n


@triton.jit
def early_return_types(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, early_return_types_f(tl.load(x + i), n))


@triton.jit
def return_in_loop(x, y, out, n, N: tl.constexpr):
    for k in range(n):
        if k == 2:
            return
    tl.store(out, 1)


@triton.jit
def return_in_while(x, y, out, n, N: tl.constexpr):
    k = 0
    while k < n:
        if k == 2:
            return
        k += 1
    tl.store(out, 1)


@triton.jit
def loop_carried_type(x, y, out, n, N: tl.constexpr):
    a = 0
    for k in range(n):
        a += 1.5
    tl.store(out, a)


@triton.jit
def loop_carried_shape(x, y, out, n, N: tl.constexpr):
    a = 0.0
    for k in range(n):
        a += tl.load(x + tl.arange(0, N))
    tl.store(out, tl.sum(a))


@triton.jit
def loop_defined_inside_used_after(x, y, out, n, N: tl.constexpr):
    for k in range(n):
        t = k * 2
    tl.store(out, t)


@triton.jit
def while_true(x, y, out, n, N: tl.constexpr):
    while True:
        tl.store(out, n)


@triton.jit
def if_defines_one(x, y, out, n, N: tl.constexpr):
    if n > 3:
        a = 1
    tl.store(out, a)


@triton.jit
def if_types(x, y, out, n, N: tl.constexpr):
    a = 1
    if n > 3:
        a = 1.5
    tl.store(out, a)


@triton.jit
def if_branch_types(x, y, out, n, N: tl.constexpr):
    if n > 3:
        a = 1.5
    else:
        a = 1
    tl.store(out, a)


@triton.jit
def if_widening_int(x, y, out, n, N: tl.constexpr):
    a = 1
    if n > 3:
        a = n.to(tl.int64)
    tl.store(out, a)


@triton.aggregate
class AggregateSetAttrA:
    a: tl.tensor


@triton.jit
def aggregate_set_attr(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = AggregateSetAttrA(tl.load(x + i))
    a.a = n
    tl.store(out + i, a.a)


GLOBAL_PLAIN_G = 7


@triton.jit
def global_plain(x, y, out, n, N: tl.constexpr):
    tl.store(out, n + GLOBAL_PLAIN_G)


GLOBAL_ANNOTATED_G: tl.constexpr = 7


@triton.jit
def global_annotated(x, y, out, n, N: tl.constexpr):
    tl.store(out, n + GLOBAL_ANNOTATED_G)


@triton.constexpr_function
def constexpr_function_runtime_f(a):
    return a + 1


@triton.jit
def constexpr_function_runtime(x, y, out, n, N: tl.constexpr):
    tl.store(out, constexpr_function_runtime_f(n))


def python_function_f(a):
    return a + 1


@triton.jit
def python_function(x, y, out, n, N: tl.constexpr):
    tl.store(out, python_function_f(n))


def python_function_const_f(a):
    return a + 1


@triton.jit
def python_function_const(x, y, out, n, N: tl.constexpr):
    tl.store(out, n + python_function_const_f(3))


@triton.jit
def static_assert_false(x, y, out, n, N: tl.constexpr):
    tl.static_assert(N > 40, f"N is {N}, not more than {40}")
    tl.store(out, n)


@triton.jit
def static_assert_runtime(x, y, out, n, N: tl.constexpr):
    tl.static_assert(n > 4)
    tl.store(out, n)


@triton.jit
def fstring_runtime(x, y, out, n, N: tl.constexpr):
    tl.static_print(f"{n}")
    tl.store(out, n)


@triton.jit
def print_two_strings(x, y, out, n, N: tl.constexpr):
    print("a", "b")


@triton.jit
def with_statement(x, y, out, n, N: tl.constexpr):
    with tl.program_id(0):
        tl.store(out, n)


@triton.must_use_result
@triton.jit
def must_use_result_f(a):
    return a


@triton.jit
def must_use_result(x, y, out, n, N: tl.constexpr):
    must_use_result_f(n)
    tl.store(out, n)


@triton.jit
def builtin_abs_python(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, abs(tl.load(x + i)))


@triton.jit
def builtin_sum(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out, sum((n, n)))


@triton.jit
def slice_block(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i)[:4])


@triton.jit
def index_block(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out, tl.load(x + i)[0])


@triton.jit
def kwargs_star_f(a, b):
    return a


@triton.jit
def kwargs_star(x, y, out, n, N: tl.constexpr):
    tl.store(out, kwargs_star_f(**{"a": 1, "b": 2}))


@triton.jit
def dict(x, y, out, n, N: tl.constexpr):
    d = {"a": 1}
    tl.store(out, d["a"])


@triton.jit
def global_stmt(x, y, out, n, N: tl.constexpr):
    global Z
    tl.store(out, n)


@triton.jit
def matmul_op(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(out + i[:, None] * N + i[None, :], a @ a)


@triton.jit
def store_value_larger(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out, tl.load(x + i))


@triton.jit
def load_cache(x, y, out, n, N: tl.constexpr):
    tl.store(out, tl.load(x, cache_modifier=".xx"))


@triton.jit
def load_other_no_mask(x, y, out, n, N: tl.constexpr):
    tl.store(out, tl.load(x, other=1.0))


@triton.jit
def load_int(x, y, out, n, N: tl.constexpr):
    tl.store(out, tl.load(n))


@triton.jit
def store_to_const(x, y, out, n, N: tl.constexpr):
    tl.store(x, n)


SIGNATURES = {"store_to_const": {"x": "*kfp32"}}
"""Parameters of single kernels that differ from the usual ones."""
