"""Assertions, prints, annotations, builtins and operators: kernels for test_front_end.py."""

import triton
import triton.language as tl


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


@triton.jit
def static_assert(x, y, out, n, N: tl.constexpr):
    tl.static_assert(N > 4)
    tl.static_assert(N % 2 == 0, "even")
    tl.static_assert(N > 4 and N < 100, f"N is {N}")
    tl.store(out, n)


@triton.jit
def fstring_format_spec(x, y, out, n, N: tl.constexpr):
    tl.static_assert(N > 3, f"{N:>5}")
    tl.store(out, n)


@triton.jit
def device_print(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("a", tl.load(x + i), n)
    tl.device_print("hex", i, hex=True)
    print("pid", tl.program_id(0))
    print("only text")
    tl.store(out, n)


@triton.jit
def device_print_fstring(x, y, out, n, N: tl.constexpr):
    tl.device_print(f"N {N} ", n)


@triton.jit
def device_assert(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_assert(n > 3)
    tl.device_assert(i < 100, "too large")
    tl.device_assert(i < 3, "masked", mask=i < 2)
    assert n > 2
    assert n > 2, "message"
    assert N > 3, "constexpr"
    assert i < 20, f"N {N}"
    tl.store(out, n)


@triton.jit
def pass_statement(x, y, out, n, N: tl.constexpr):
    if n > 3:
        pass
    else:
        tl.store(out, n)
    for k in range(n):
        pass
    tl.store(out, n)


@triton.jit
def docstring(x, y, out, n, N: tl.constexpr):
    """Docs."""
    "another"
    ...
    tl.store(out, n)


@triton.jit
def docstring_only(x, y, out, n, N: tl.constexpr):
    """Docs."""


@triton.jit
def expression_statement(x, y, out, n, N: tl.constexpr):
    n + 1
    tl.load(x)
    tl.store(out, n)


@triton.jit
def ann_assign(x, y, out, n, N: tl.constexpr):
    a: tl.constexpr = N * 2
    b: tl.int32 = n
    c: int = 3
    d: "tl.constexpr" = 4
    i = tl.arange(0, a)
    tl.store(out + i, b + c + d)


@triton.jit
def ann_assign_bare(x, y, out, n, N: tl.constexpr):
    a: tl.constexpr
    if N > 8:
        a = 4
    else:
        a = 8
    i = tl.arange(0, a)
    tl.store(out + i, tl.load(x + i))


@triton.jit
def constexpr_assigned_becomes_tensor(x, y, out, n, N: tl.constexpr):
    a = N // 2
    i = tl.arange(0, N)
    tl.store(out + i, i + a)


@triton.jit
def pointer_element_ty(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = out.dtype.element_ty
    a = tl.load(y + i).to(t)
    b = a.to(out.type.element_ty)
    tl.store(out + i, b.to(x.dtype.element_ty))
    if out.dtype.element_ty == tl.float32:
        tl.store(out, 1.0)
    if x.dtype.is_ptr() and x.type.is_ptr():
        tl.store(out + 1, 2.0)


@triton.jit
def type_questions(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if a.dtype.is_floating() and a.dtype == tl.float32:
        tl.store(out, 1)
    if a.type.is_block():
        tl.store(out + 1, 1)
    if a.type.scalar.is_fp32():
        tl.store(out + 2, 1)
    K: tl.constexpr = a.dtype.primitive_bitwidth
    tl.store(out + 3, K)
    if i.dtype.is_int_signed():
        tl.store(out + 4, i.dtype.int_bitwidth)
    if n.dtype.is_int():
        tl.store(out + 5, i.type.numel)


@triton.jit
def asks_for_classes_f(a):
    if isinstance(a, tl.tensor):
        return a + 1
    else:
        return a + 2


@triton.jit
def asks_for_classes(x, y, out, n, N: tl.constexpr):
    tl.store(out, asks_for_classes_f(n))
    tl.store(out + 1, asks_for_classes_f(3))


@triton.jit
def asks_for_tuples(x, y, out, n, N: tl.constexpr):
    t = (n, n)
    if isinstance(t, tl.tuple):
        tl.store(out, 1)
    if isinstance(N, tl.constexpr):
        tl.store(out + 1, 2)
    else:
        tl.store(out + 1, 3)
    if isinstance(n, tl.constexpr):
        tl.store(out + 2, 3)


@triton.jit
def builtins_min_max(x, y, out, n, N: tl.constexpr):
    a = min(n, 5)
    b = max(n, N)
    c = min(n, 5, 3)
    K: tl.constexpr = max(N, 4)
    i = tl.arange(0, K)
    tl.store(out + i, a + b * c + max(tl.load(x + i), 0))
    tl.store(out + 40, min(n * 1.0, 2.5))


@triton.jit
def builtins_int_float(x, y, out, n, N: tl.constexpr):
    a = int(3.7)
    b = float(N)
    c = float("inf")
    d = float("-inf")
    tl.store(out, a + b)
    tl.store(out + 1, c)
    tl.store(out + 2, d)
    tl.store(out + 3, -float("inf"))


@triton.jit
def builtin_abs(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.abs(tl.load(x + i)))


@triton.jit
def builtin_len_block(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = (1, 2, 3)
    tl.store(out, len(a))
    tl.store(out + 1, len(i.shape))


@triton.jit
def list_values(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    l = [tl.load(x + i), tl.load(y + i)]
    tl.store(out + i, l[0] + l[1])
    z = tl.zeros([N, 2], dtype=tl.float32)
    tl.store(out + N + i, tl.sum(z, axis=1))


@triton.jit
def subscripts(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = i[:, None] + i[None, :]
    b = a[None, :, :]
    c = b[:, :, None, :]
    tl.store(out + a * 0 + i[None, :] * N + i[:, None], tl.sum(tl.sum(c, 0), 1) + tl.load(x + i)[:, None])


@triton.jit
def subscript_one(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = i[None] + 0
    tl.store(out + a, a)


@triton.jit
def subscript_all(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = i[:] + 0
    tl.store(out + a, a)


@triton.jit
def scalar_subscript(x, y, out, n, N: tl.constexpr):
    a = n[None]
    tl.store(out + tl.arange(0, 1), a)


@triton.jit
def bool_values(x, y, out, n, N: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, N)
    a = True
    b = False
    c = a and n > 3
    if F:
        tl.store(out + i, c)
    if not F or b:
        tl.store(out + i, 3)
    d = i > 3
    tl.store(out + N + i, d & c)
    tl.store(out + 2 * N + i, d | b)
    tl.store(out + 3 * N + i, ~d)
    tl.store(out + 4 * N + i, d ^ True)


@triton.jit
def unary(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, -tl.load(x + i))
    tl.store(out + N + i, ~tl.load(y + i))
    tl.store(out + 2 * N + i, -i)
    tl.store(out + 3 * N, -n)
    tl.store(out + 3 * N + 1, -(-3))
    tl.store(out + 3 * N + 2, not n > 3)


@triton.jit
def is_compare(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if a.dtype is tl.float32:
        tl.store(out, 1)
    if a is a:
        tl.store(out + 1, 1)
    if N is not None:
        tl.store(out + 2, 1)


@triton.jit
def string_constexpr_concat(x, y, out, n, N: tl.constexpr):
    S: tl.constexpr = "a" + "b"
    tl.static_assert(S == "ab")
    tl.store(out, n)


@triton.jit
def constexpr_arithmetic(x, y, out, n, N: tl.constexpr):
    A: tl.constexpr = (N + 3) // 4 * 4
    B: tl.constexpr = -7 // 2
    C: tl.constexpr = -7 % 3
    D: tl.constexpr = N / 3
    E: tl.constexpr = 1 << 4 | 3
    F: tl.constexpr = ~5
    tl.store(out, A + B + C + D + E + F)
    tl.store(out + 1, -7 // n + -7 % n)


@triton.jit
def constexpr_int_division_types(x, y, out, n, N: tl.constexpr):
    tl.store(out, N / 3)
    tl.store(out + 1, n / 3)
    tl.store(out + 2, n // 3)
    tl.store(out + 3, -n // 3)
    tl.store(out + 4, -n % 3)
    tl.store(out + 5, 7.5 % 2)


SIGNATURES = {"if_string_constexpr": {"ACT": "relu"}, "bool_values": {"F": True}}
"""Parameters of single kernels that differ from the usual ones."""
COMPILED_ONLY = ("device_print", "device_print_fstring")
"""Kernels that are compiled, but not run."""
