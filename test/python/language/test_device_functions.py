"""libdevice's Bessel functions and its scaled complement of the error function, against mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice

N = 256
KINDS = [torch.float32, torch.float64]


@blockdsl.jit
def of_one(x_ptr, out_ptr, FUNCTION: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, FUNCTION(tl.load(x_ptr + at)))


@blockdsl.jit
def of_an_order(n_ptr, x_ptr, out_ptr, FUNCTION: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, FUNCTION(tl.load(n_ptr + at), tl.load(x_ptr + at)))


def exact(function: Any, *arrays: torch.Tensor) -> torch.Tensor:
    with mpmath.workdps(40):
        columns = zip(*(array.tolist() for array in arrays), strict=True)
        return torch.tensor([float(function(*values)) for values in columns], dtype=torch.float64)


def scaled_complement(x: float) -> Any:
    return mpmath.exp(mpmath.mpf(x) ** 2) * mpmath.erfc(x)


@pytest.mark.parametrize("dtype", KINDS)
def test_erfcx(run: Run, dtype: torch.dtype) -> None:
    x = torch.cat([torch.linspace(-9, 30, N // 2), torch.logspace(-8, 8, N // 4), -torch.logspace(-8, 1.3, N // 4)])
    x, out = x.to(dtype), torch.zeros(N, dtype=dtype)
    x[:6] = torch.tensor([float("inf"), float("-inf"), float("nan"), 0.0, 10.0, -27.0], dtype=dtype)
    run(of_one, (1,), x, out, FUNCTION=libdevice.erfcx, N=N)
    ends = torch.tensor([0.0, float("inf"), float("nan")], dtype=torch.float64)
    expected = torch.cat([ends, exact(scaled_complement, x[3:])])
    rtol = 3e-7 if dtype == torch.float32 else 3e-15
    torch.testing.assert_close(out, expected.to(dtype), rtol=rtol, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", KINDS)
def test_modified_bessel_function(run: Run, dtype: torch.dtype) -> None:
    x = torch.cat([torch.linspace(-80, 80, N // 2), torch.logspace(-8, 1.9, N // 2)]).to(dtype)
    out = torch.zeros(N, dtype=dtype)
    run(of_one, (1,), x, out, FUNCTION=libdevice.cyl_bessel_i1, N=N)
    expected = exact(lambda value: mpmath.besseli(1, value), x).to(dtype)
    torch.testing.assert_close(out, expected, rtol=3e-7 if dtype == torch.float32 else 1e-14, atol=0)


@pytest.mark.parametrize("name", ["jn", "yn"])
@pytest.mark.parametrize("dtype", KINDS)
def test_bessel_functions_of_an_order(run: Run, device: str, dtype: torch.dtype, name: str) -> None:
    n = torch.arange(N, dtype=torch.int32) % 7 - (2 if name == "jn" else 1)
    x = torch.linspace(0.5, 40, N).to(dtype)
    out = torch.zeros(N, dtype=dtype)
    run(of_an_order, (1,), n, x, out, FUNCTION=getattr(libdevice, name), N=N)
    expected = exact(mpmath.besselj if name == "jn" else mpmath.bessely, n, x)
    expected[n < 0] = torch.nan
    # Between large values the functions are nearly zero, with the absolute error of the large values. A GPU's own
    # recurrence is less accurate in float64.
    near = 1e-6 if dtype == torch.float32 else 1e-14 if device == "cpu" else 1e-10
    torch.testing.assert_close(out.double(), expected, rtol=4 * near, atol=near, equal_nan=True)
