"""Tests of libdevice's functions that the compiler lowers by symbol, called in a kernel, against torch and mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice

N = 128
KINDS = [torch.float32, torch.float64]
Function = Callable[..., torch.Tensor]


def exactly(function: Any, order: int) -> Function:
    """Returns a Bessel function of mpmath's, because torch's are inaccurate near their zeros."""
    return lambda x: torch.tensor([float(function(order, value)) for value in x.tolist()], dtype=torch.float64)


# For each function the limits of the tested domain.
OF_ONE: dict[str, tuple[Function, float, float]] = {
    "acosh": (torch.acosh, 1, 30), "asinh": (torch.asinh, -20, 20), "ceil": (torch.ceil, -9, 9),
    "cos": (torch.cos, -20, 20), "cospi": (lambda x: torch.cos(math.pi * x), -4, 4),
    "cyl_bessel_i0": (torch.special.i0, -10, 10), "erf": (torch.erf, -4, 4),
    "erfcinv": (lambda x: torch.erfinv(1 - x), 0.1, 1.9), "erfinv": (torch.erfinv, -0.95, 0.95),
    "exp": (torch.exp, -20, 20), "exp2": (torch.exp2, -20, 20), "floor": (torch.floor, -9, 9),
    "j0": (exactly(mpmath.besselj, 0), 0, 20), "j1": (exactly(mpmath.besselj, 1), 0, 20),
    "y0": (exactly(mpmath.bessely, 0), 0.5, 20), "y1": (exactly(mpmath.bessely, 1), 0.5, 20),
    "log": (torch.log, 0.01, 100), "log2": (torch.log2, 0.01, 100),
    "logb": (lambda x: torch.floor(torch.log2(x)), 0.013, 100), "nearbyint": (torch.round, -9, 9),
    "normcdf": (torch.special.ndtr, -5, 5), "normcdfinv": (torch.special.ndtri, 0.05, 0.95),
    "rcbrt": (lambda x: x ** (-1 / 3), 0.1, 100), "round": (lambda x: x.sign() * (x.abs() + 0.5).floor(), -9, 9),
    "rsqrt": (torch.rsqrt, 0.01, 100), "signbit": (torch.signbit, -9, 9), "sin": (torch.sin, -20, 20),
    "sinpi": (lambda x: torch.sin(math.pi * x), -4, 4), "sqrt": (torch.sqrt, 0, 100),
    "tgamma": (lambda x: torch.exp(torch.lgamma(x)), 0.5, 10),
}  # fmt: skip
FAST: dict[str, tuple[Function, float, float]] = {
    "fast_expf": (torch.exp, -8, 8), "fast_exp10f": (lambda x: 10.0**x, -4, 4), "fast_sinf": (torch.sin, -3, 3),
    "fast_cosf": (torch.cos, -3, 3), "fast_tanf": (torch.tan, -1.5, 1.5), "fast_logf": (torch.log, 0.01, 100),
    "fast_log2f": (torch.log2, 0.01, 100), "fast_log10f": (torch.log10, 0.01, 100),
}  # fmt: skip
OF_TWO: dict[str, Function] = {
    "fdim": lambda x, y: torch.relu(x - y), "fmax": torch.maximum, "fmin": torch.minimum,
    "remainder": lambda x, y: x - y * torch.round(x / y),
}  # fmt: skip


@blockdsl.jit
def of_one(x_ptr, out_ptr, FUNCTION: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, FUNCTION(tl.load(x_ptr + at)))


@blockdsl.jit
def of_two(x_ptr, y_ptr, out_ptr, FUNCTION: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, FUNCTION(tl.load(x_ptr + at), tl.load(y_ptr + at)))


@blockdsl.jit
def of_three(x_ptr, y_ptr, z_ptr, out_ptr, FUNCTION: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, FUNCTION(tl.load(x_ptr + at), tl.load(y_ptr + at), tl.load(z_ptr + at)))


def check(out: torch.Tensor, expected: torch.Tensor, single: float = 1e-6, double: float = 1e-13) -> None:
    near = single if out.dtype == torch.float32 else double
    torch.testing.assert_close(out.double(), expected.double(), rtol=near, atol=near)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", OF_ONE)
def test_of_one_float(run: Run, name: str, dtype: torch.dtype) -> None:
    function, low, high = OF_ONE[name]
    x, out = torch.linspace(low, high, N, dtype=dtype), torch.zeros(N, dtype=dtype)
    run(of_one, (1,), x, out, FUNCTION=getattr(libdevice, name), N=N)
    check(out, function(x.double()), single=4e-6, double=1e-11)


@pytest.mark.parametrize("name", FAST)
def test_fast_functions(run: Run, name: str) -> None:
    function, low, high = FAST[name]
    x, out = torch.linspace(low, high, N), torch.zeros(N)
    run(of_one, (1,), x, out, FUNCTION=getattr(libdevice, name), N=N)
    check(out, function(x.double()), single=1e-4)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", OF_TWO)
def test_of_two_floats(run: Run, name: str, dtype: torch.dtype) -> None:
    x, out = torch.linspace(-9, 9, N, dtype=dtype), torch.zeros(N, dtype=dtype)
    y = x.flip(0) * 0.37 + 0.011
    run(of_two, (1,), x, y, out, FUNCTION=getattr(libdevice, name), N=N)
    check(out, OF_TWO[name](x.double(), y.double()))


def test_a_fast_power(run: Run) -> None:
    x, y, out = torch.linspace(0.1, 9, N), torch.linspace(-3, 3, N), torch.zeros(N)
    run(of_two, (1,), x, y, out, FUNCTION=libdevice.fast_powf, N=N)
    check(out, x.double() ** y.double(), single=1e-3)


@pytest.mark.parametrize("dtype", KINDS)
def test_the_next_number(run: Run, dtype: torch.dtype) -> None:
    x, out = torch.linspace(-9, 9, N, dtype=dtype), torch.zeros(N, dtype=dtype)
    run(of_two, (1,), x, x.flip(0), out, FUNCTION=libdevice.nextafter, N=N)
    assert torch.equal(out, torch.nextafter(x, x.flip(0)))


@pytest.mark.parametrize("dtype", KINDS)
def test_fma_and_ldexp(run: Run, dtype: torch.dtype) -> None:
    x, out = torch.linspace(-9, 9, N, dtype=dtype), torch.zeros(N, dtype=dtype)
    run(of_three, (1,), x, x.flip(0), x + 1, out, FUNCTION=libdevice.fma, N=N)
    check(out, x.double() * x.flip(0).double() + x.double() + 1, single=4e-6)
    n = torch.arange(N, dtype=torch.int32) % 40 - 20
    run(of_two, (1,), x, n, out, FUNCTION=libdevice.ldexp, N=N)
    assert torch.equal(out, torch.ldexp(x, n))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_bits_that_are_set(run: Run, dtype: torch.dtype) -> None:
    x = torch.arange(N, dtype=dtype) * 0x1234567 - 99999999
    out = torch.zeros(N, dtype=torch.int32)
    run(of_one, (1,), x, out, FUNCTION=libdevice.popc, N=N)
    mask = 2 ** (32 if dtype == torch.int32 else 64) - 1
    assert out.tolist() == [(value & mask).bit_count() for value in x.tolist()]


def test_finite_doubles(run: Run) -> None:
    values: list[Any] = [0.0, -1.5, math.inf, -math.inf, math.nan, 1e308, 5e-324, -0.0]
    x, out = torch.tensor(values * (N // 8), dtype=torch.float64), torch.zeros(N, dtype=torch.int32)
    run(of_one, (1,), x, out, FUNCTION=libdevice.isfinited, N=N)
    assert out.bool().equal(torch.isfinite(x))
