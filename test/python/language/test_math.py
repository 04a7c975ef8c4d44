"""Mathematical functions, those of libdevice among them, against NumPy in float64."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run, check, numbers, rounded_once

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice

UNARY: dict[str, Any] = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "erf": np.vectorize(math.erf), "floor": np.floor, "ceil": np.ceil,
    "abs": np.abs, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}  # fmt: skip


@blockdsl.jit
def unary(x_ptr, out_ptr, N: tl.constexpr, OP: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, OP(tl.load(x_ptr + at)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_float(run: Run, name: str, dtype: torch.dtype) -> None:
    x = numbers(dtype, 128, low=0.1, high=4)
    out = torch.zeros_like(x)
    run(unary, (1,), x, out, N=128, OP=getattr(tl, name))
    check(out, UNARY[name](x.double().numpy()), scale=4)


LIBDEVICE: dict[str, Any] = {
    "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "atanh": np.arctanh, "cbrt": np.cbrt, "cosh": np.cosh,
    "exp10": lambda x: 10.0**x, "expm1": np.expm1, "log10": np.log10, "log1p": np.log1p, "rint": np.rint,
    "sinh": np.sinh, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc, "erfc": np.vectorize(math.erfc),
    "lgamma": np.vectorize(math.lgamma), "fabs": np.abs,
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", LIBDEVICE)
def test_libdevice(run: Run, name: str, dtype: torch.dtype) -> None:
    x = numbers(dtype, 128, low=0.05, high=0.95)
    out = torch.zeros_like(x)
    run(unary, (1,), x, out, N=128, OP=getattr(libdevice, name))
    check(out, LIBDEVICE[name](x.double().numpy()), scale=8)


@blockdsl.jit
def binary(x_ptr, y_ptr, out_ptr, N: tl.constexpr, OP: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, OP(tl.load(x_ptr + at), tl.load(y_ptr + at)))


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (tl.div_rn, np.divide),
        (tl.fdiv, np.divide),
        (libdevice.pow, np.power),
        (libdevice.atan2, np.arctan2),
        (libdevice.fmod, np.fmod),
        (libdevice.hypot, np.hypot),
        (libdevice.copysign, np.copysign),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_functions_of_two_floats(run: Run, op: Any, expected: Any) -> None:
    x, y = numbers(torch.float32, 64, low=0.5, high=3), numbers(torch.float32, 2, 32, low=0.5, high=2).reshape(-1)
    out = torch.zeros_like(x)
    run(binary, (1,), x, y, out, N=64, OP=op)
    check(out, expected(x.double().numpy(), y.double().numpy()), scale=4)


@blockdsl.jit
def float_tests(x_ptr, nan_ptr, inf_ptr, finite_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(nan_ptr + at, libdevice.isnan(x))
    tl.store(inf_ptr + at, libdevice.isinf(x))
    tl.store(finite_ptr + at, libdevice.finitef(x))


def test_tests_of_floats(run: Run) -> None:
    x = torch.tensor([0.0, math.inf, -math.inf, math.nan])
    nan, inf, finite = (torch.zeros(4, dtype=torch.bool) for _ in range(3))
    run(float_tests, (1,), x, nan, inf, finite, N=4)
    check(nan, torch.isnan(x))
    check(inf, torch.isinf(x))
    check(finite, torch.isfinite(x))


@blockdsl.jit
def fused(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.fma(x, y, 1.0))
    tl.store(out_ptr + N + at, tl.sqrt_rn(tl.abs(x)))


@blockdsl.jit
def fused_of_three(x_ptr, y_ptr, z_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.fma(tl.load(x_ptr + at), tl.load(y_ptr + at), tl.load(z_ptr + at)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_small_floats_are_fused_with_one_rounding(run: Run, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(5)
    x, y, z = (torch.randn(3, 512, generator=generator) * torch.randn(3, 512, generator=generator).exp2()).to(dtype)
    # Products half-way between two numbers, with a term that is too small for a wide sum to show the direction.
    step = torch.finfo(dtype).eps
    x[:256], y[:256] = 1 + step, torch.tensor([1.5, -1.5]).to(dtype).repeat(128)
    z[:256] = torch.tensor([1.0, -1.0, -1.0, 1.0]).repeat(64).to(dtype) * torch.finfo(dtype).smallest_normal
    x[500:504] = torch.tensor([math.inf, -math.inf, math.nan, 0.0]).to(dtype)
    out = torch.zeros(512, dtype=dtype)
    run(fused_of_three, (1,), x, y, z, out, N=512)
    rows = zip(x.tolist(), y.tolist(), z.tolist(), strict=True)
    expected = [rounded_once(Fraction(a) * Fraction(b) + Fraction(c), dtype) if math.isfinite(a + b + c) else a * b + c
                for a, b, c in rows]  # fmt: skip
    torch.testing.assert_close(out, torch.tensor(expected).to(dtype), rtol=0, atol=0, equal_nan=True)


def test_fma_and_rounded_square_root(run: Run) -> None:
    x, y = numbers(torch.float32, 64), numbers(torch.float32, 2, 32).reshape(-1)
    out = torch.zeros(128)
    run(fused, (1,), x, y, out, N=64)
    wide = x.double() * y.double() + 1
    check(out[:64], wide)
    assert np.array_equal(out[64:].numpy(), np.sqrt(np.abs(x.numpy())))


@blockdsl.jit
def high(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.umulhi(tl.load(x_ptr + at), tl.load(y_ptr + at)))


@pytest.mark.parametrize("dtype", [torch.uint32, torch.int64])
def test_umulhi(run: Run, dtype: torch.dtype) -> None:
    bits = torch.iinfo(dtype).bits
    x = torch.tensor([1, 2 ** (bits - 2), 2 ** (bits - 1) - 1, 12345], dtype=dtype)
    out = torch.zeros_like(x)
    run(high, (1,), x, x, out, N=4)
    assert out.tolist() == [value * value >> bits for value in x.tolist()]


@blockdsl.jit
def rounded_up(out_ptr, n, N: tl.constexpr):
    tl.store(out_ptr, tl.cdiv(n, N))
    tl.store(out_ptr + 1, tl.cdiv(N, 3))


def test_cdiv_of_runtime_and_compile_time_values(run: Run) -> None:
    out = torch.zeros(2, dtype=torch.int32)
    run(rounded_up, (1,), out, 100, N=32)
    assert out.tolist() == [4, 11]
    assert blockdsl.cdiv(100, 32) == 4
    assert blockdsl.next_power_of_2(33) == 64


@blockdsl.jit
def rough_quotients(out_ptr, x_ptr, y_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.fdiv(tl.load(x_ptr + at), tl.load(y_ptr + at), approx=True))


def test_rough_quotients(run: Run) -> None:
    x, y = numbers(torch.float32, 64), numbers(torch.float32, 64, low=1, high=9)
    out = torch.zeros(64)
    run(rough_quotients, (1,), out, x, y, N=64)
    check(out, x.double() / y.double())


@blockdsl.jit
def exact_quotients(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.fdiv(tl.load(x_ptr + at), tl.load(y_ptr + at), ieee_rounding=True))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_quotients_that_are_rounded_as_ieee_says(run: Run, dtype: torch.dtype) -> None:
    x, y, out = numbers(dtype, 256), numbers(dtype, 256), torch.zeros(256, dtype=dtype)
    run(exact_quotients, (1,), x, y, out, N=256)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out.numpy(), x.numpy() / y.numpy())


@blockdsl.jit
def over_one_number(x_ptr, y_ptr, out_ptr, n, N: tl.constexpr):
    y = tl.load(y_ptr)
    for start in range(0, n, N):
        at = start + tl.arange(0, N)
        tl.store(out_ptr + at, tl.fdiv(tl.load(x_ptr + at), y, approx=True))


# Beyond 2^126 and below 2^-126 the reciprocal is not a normal number.
DIVISORS = [
    float(sign * size)
    for size in [0.0, 2**-149, 3 * 2**-149, 2**-127, 2**-126 - 2**-149, 2**-126, 0.7, 1.0, 3.0, 2**126, 2**126 * 1.5,
                 2**127, float(np.finfo(np.float32).max), math.inf, math.nan]
    for sign in (1, -1)
]  # fmt: skip


@pytest.mark.parametrize("divisor", DIVISORS)
def test_approximate_quotients_of_one_divisor(run: Run, divisor: float) -> None:
    sizes = np.array([0.0, 2**-149, 5 * 2**-149, 2**-126, 1e-30, 1.0, 1.1, 1e30, 2**127, 3e38, np.inf, np.nan], "f4")
    draw = np.random.default_rng(5).integers(0, 2**32, 256 - 2 * len(sizes), dtype=np.uint32).view("f4")
    x = np.concatenate([sizes, -sizes, draw])
    out = torch.zeros(256)
    run(over_one_number, (1,), torch.from_numpy(x), torch.tensor([divisor]), out, 256, N=64)
    with np.errstate(all="ignore"):
        expected = (x.astype("f8") / np.float64(np.float32(divisor))).astype("f4")
    unit = np.spacing(np.abs(np.nan_to_num(expected, posinf=0, neginf=0)))
    got = out.numpy()
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    # At the end of the range a quotient may be rounded to infinity although the exact one is the largest number.
    edge = (
        np.isinf(got)
        & (np.abs(expected) >= np.finfo(np.float32).max * (1 - 2**-22))
        & (np.signbit(got) == np.signbit(expected))
    )
    with np.errstate(all="ignore"):
        close = np.abs(got.astype("f8") - expected) <= 2 * unit
    wrong = ~(same | edge | close)
    assert not wrong.any(), (x[wrong][:4], got[wrong][:4], expected[wrong][:4])
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()
