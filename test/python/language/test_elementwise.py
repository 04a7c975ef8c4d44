"""Arithmetic, bitwise, comparing and logical ops, dtype by dtype, against torch and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import FLOATS, INTEGERS, Run, check, numbers

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def arithmetic(x_ptr, y_ptr, add_ptr, sub_ptr, mul_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(add_ptr + at, x + y)
    tl.store(sub_ptr + at, x - y)
    tl.store(mul_ptr + at, x * y)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_arithmetic(run: Run, dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 64), numbers(dtype, 2, 32).reshape(-1)
    results = [torch.zeros(64, dtype=dtype) for _ in range(3)]
    run(arithmetic, (1,), x, y, *results, N=64)
    for result, expected in zip(results, (x + y, x - y, x * y), strict=True):
        check(result, expected, scale=2)


@blockdsl.jit
def division(x_ptr, y_ptr, quotient_ptr, floor_ptr, rest_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(quotient_ptr + at, x / y)
    tl.store(floor_ptr + at, x // y)
    tl.store(rest_ptr + at, x % y)


@pytest.mark.cpu_only
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division_truncates_and_gives_zero_for_zero(run: Run, dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 64, low=-50, high=50), numbers(dtype, 2, 32).reshape(-1)
    quotient, floor, rest = torch.zeros(64), torch.ones(64, dtype=dtype), torch.ones(64, dtype=dtype)
    run(division, (1,), x, y, quotient, floor, rest, N=64)
    safe = torch.where(y == 0, torch.ones_like(y), y)
    check(floor, torch.where(y == 0, 0, torch.div(x, safe, rounding_mode="trunc")))
    check(rest, torch.where(y == 0, 0, torch.fmod(x, safe)))
    check(quotient[y != 0], (x.double() / y.double())[y != 0])


@blockdsl.jit
def float_division(x_ptr, y_ptr, quotient_ptr, rest_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(quotient_ptr + at, x / y)
    tl.store(rest_ptr + at, x % y)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_division_is_in_float32_or_wider(run: Run, dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 64), numbers(dtype, 2, 32, low=1, high=3).reshape(-1)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    quotient, rest = torch.zeros(64, dtype=wide), torch.zeros(64, dtype=wide)
    run(float_division, (1,), x, y, quotient, rest, N=64)
    check(quotient, x.double() / y.double())
    check(rest, torch.fmod(x.double(), y.double()), scale=4)


@blockdsl.jit
def bits(x_ptr, y_ptr, and_ptr, or_ptr, xor_ptr, not_ptr, neg_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(and_ptr + at, x & y)
    tl.store(or_ptr + at, x | y)
    tl.store(xor_ptr + at, x ^ y)
    tl.store(not_ptr + at, ~x)
    tl.store(neg_ptr + at, -x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bitwise(run: Run, dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 64, low=-100, high=100), numbers(dtype, 2, 32, low=-100, high=100).reshape(-1)
    results = [torch.zeros(64, dtype=dtype) for _ in range(5)]
    run(bits, (1,), x, y, *results, N=64)
    for result, expected in zip(results, (x & y, x | y, x ^ y, ~x, -x), strict=True):
        check(result, expected)


@blockdsl.jit
def shifts(x_ptr, y_ptr, left_ptr, right_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(left_ptr + at, x << y)
    tl.store(right_ptr + at, x >> y)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_keep_the_sign_of_signed_integers(run: Run, dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 64, low=-100, high=100), numbers(dtype, 2, 32, low=0, high=6).reshape(-1)
    left, right = torch.zeros(64, dtype=dtype), torch.zeros(64, dtype=dtype)
    run(shifts, (1,), x, y, left, right, N=64)
    check(left, x << y)
    check(right, x >> y)


@blockdsl.jit
def comparisons(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, x == y)
    tl.store(out_ptr + N + at, x != y)
    tl.store(out_ptr + 2 * N + at, x < y)
    tl.store(out_ptr + 3 * N + at, x <= y)
    tl.store(out_ptr + 4 * N + at, x > y)
    tl.store(out_ptr + 5 * N + at, x >= y)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_comparisons(run: Run, dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 64, low=-2, high=2).round(), numbers(dtype, 2, 32, low=-2, high=2).reshape(-1).round()
    if dtype.is_floating_point:
        x[3] = y[5] = float("nan")
    out = torch.zeros(6 * 64, dtype=torch.bool)
    run(comparisons, (1,), x, y, out, N=64)
    check(out, torch.cat([x == y, x != y, x < y, x <= y, x > y, x >= y]))


def test_unsigned_integers_compare_and_divide_as_unsigned(run: Run) -> None:
    x = torch.tensor([0, 1, 2**31, 2**32 - 1], dtype=torch.uint32)
    y = torch.tensor([1, 2**31, 1, 3], dtype=torch.uint32)
    out = torch.zeros(6 * 4, dtype=torch.bool)
    run(comparisons, (1,), x, y, out, N=4)
    a, b = x.numpy(), y.numpy()
    check(out, np.concatenate([a == b, a != b, a < b, a <= b, a > b, a >= b]))
    quotient, floor, rest = torch.zeros(4), torch.zeros(4, dtype=torch.uint32), torch.zeros(4, dtype=torch.uint32)
    run(division, (1,), x, y, quotient, floor, rest, N=4)
    assert floor.tolist() == (a // b).tolist()
    assert rest.tolist() == (a % b).tolist()


@blockdsl.jit
def scalars(out_ptr, flags_ptr, n, m):
    tl.store(out_ptr, n + m)
    tl.store(out_ptr + 1, n * 3 - m)
    tl.store(out_ptr + 2, min(n, m))
    tl.store(out_ptr + 3, max(n, m, 10))
    tl.store(out_ptr + 4, tl.cdiv(n, m))
    tl.store(flags_ptr, n > 3 and m < 9)
    tl.store(flags_ptr + 1, n > 3 or m > 9)
    tl.store(flags_ptr + 2, not (n > 3))
    tl.store(flags_ptr + 3, 0 < n < 9)


@pytest.mark.parametrize(("n", "m"), [(7, 2), (-7, 2), (2, 12)])
def test_scalars(run: Run, n: int, m: int) -> None:
    out, flags = torch.zeros(5, dtype=torch.int32), torch.zeros(4, dtype=torch.bool)
    run(scalars, (1,), out, flags, n, m)
    toward_zero = int((n + m - 1) / m)
    assert out.tolist() == [n + m, n * 3 - m, min(n, m), max(n, m, 10), toward_zero]
    assert flags.tolist() == [n > 3 and m < 9, n > 3 or m > 9, not n > 3, 0 < n < 9]


@blockdsl.jit
def choices(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.where(x > y, x, 0))
    tl.store(out_ptr + N + at, tl.maximum(x, y))
    tl.store(out_ptr + 2 * N + at, tl.minimum(x, y))
    tl.store(out_ptr + 3 * N + at, tl.clamp(x, -1, 2))


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int16, torch.int32])
def test_minimum_and_maximum_ignore_nan(run: Run, dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 32), numbers(dtype, 2, 16).reshape(-1)
    if dtype.is_floating_point:
        x[3] = y[5] = float("nan")
    out = torch.zeros(4 * 32, dtype=dtype)
    run(choices, (1,), x, y, out, N=32)
    larger, smaller = (torch.fmax, torch.fmin) if dtype.is_floating_point else (torch.maximum, torch.minimum)
    limited = smaller(larger(x, torch.full_like(x, -1)), torch.full_like(x, 2))
    check(out, torch.cat([torch.where(x > y, x, 0), larger(x, y), smaller(x, y), limited]))


@blockdsl.jit
def nan_choices(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + N + at, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 2 * N + at, tl.clamp(x, -1.0, 2.0, propagate_nan=tl.PropagateNan.ALL))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_minimum_and_maximum_propagate_nan_on_request(run: Run, dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 32), numbers(dtype, 2, 16).reshape(-1)
    x[3] = y[5] = float("nan")
    out = torch.zeros(3 * 32, dtype=dtype)
    run(nan_choices, (1,), x, y, out, N=32)
    check(out, torch.cat([torch.maximum(x, y), torch.minimum(x, y), torch.clamp(x, -1, 2)]))


@blockdsl.jit
def wrapping(out_ptr, x_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, x + x)
    tl.store(out_ptr + 1, x * 4)


def test_integers_wrap(run: Run) -> None:
    out = torch.zeros(2, dtype=torch.int8)
    run(wrapping, (1,), out, torch.tensor([100], dtype=torch.int8))
    assert out.tolist() == [-56, -112]


def test_operators_outside_of_a_kernel_raise() -> None:
    value: Any = tl.tensor(None, tl.float32)
    with pytest.raises(blockdsl.errors.KernelSyntaxError, match="'add' can be called only inside a kernel"):
        value + 1
