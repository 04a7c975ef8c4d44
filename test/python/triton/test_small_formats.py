"""Tests of the 8-bit formats in the options: computed if Triton's front end accepts them, otherwise refused there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import stock_kernels as stock
import torch
import triton
import triton.language as tl

from blockdsl.triton.options import Options

FORMATS = {
    "fp8e4nv": (tl.float8e4nv, torch.float8_e4m3fn),
    "fp8e5": (tl.float8e5, torch.float8_e5m2),
    "fp8e4b8": (tl.float8e4b8, torch.float8_e4m3fnuz),
    "fp8e5b16": (tl.float8e5b16, torch.float8_e5m2fnuz),
    "fp8e4b15": (tl.float8e4b15, None),
}
CODES = torch.arange(256, dtype=torch.int32).to(torch.uint8)


def meaning(name: str, codes: torch.Tensor) -> torch.Tensor:
    """Returns the numbers of codes."""
    kind = FORMATS[name][1]
    if kind is not None:
        return codes.view(kind).float()
    # A sign, four bits of exponent with a bias of 15, three of mantissa, no infinities or NaN.
    plain = codes.numpy().astype(np.int64)
    exponent, mantissa = plain >> 3 & 15, (plain & 7) / 8
    size = np.where(exponent == 0, mantissa * 2.0**-14, (1 + mantissa) * 2.0 ** (exponent - 15.0))
    return torch.from_numpy(np.where(plain & 128, -size, size)).float()


def test_the_formats_of_the_options() -> None:
    options: Any = Options.of({})
    assert set(options.supported_fp8_dtypes) == {*FORMATS} == {name for name in tl.dtype.FP_TYPES if "fp8" in name}
    assert options.deprecated_fp8_dot_operand_dtypes == ()


@pytest.mark.parametrize("name", FORMATS)
def test_all_codes_are_widened(name: str) -> None:
    out = torch.empty(256)
    stock.widened[(1,)](CODES, out, BLOCK=256, KIND=FORMATS[name][0])
    torch.testing.assert_close(out, meaning(name, CODES), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", FORMATS)
def test_arguments_of_a_format(name: str) -> None:
    # Twice: the second launch finds the kernel of the first.
    for codes in (CODES, CODES.flip(0)):
        out, copy = torch.empty(256), torch.zeros(256, dtype=torch.uint8)
        kind = FORMATS[name][0]
        stock.copied_and_widened[(1,)](triton.reinterpret(codes, kind), triton.reinterpret(copy, kind), out, BLOCK=256)
        torch.testing.assert_close(out, meaning(name, codes), rtol=0, atol=0, equal_nan=True)
        assert torch.equal(copy, codes)


@pytest.mark.parametrize("name", FORMATS)
def test_numbers_are_narrowed(name: str) -> None:
    known = meaning(name, CODES)
    finite = known[known.isfinite()].sort().values.double()
    x = torch.cat([torch.randn(1000), torch.rand(24) * 1e-3]).clamp(finite[0], finite[-1])
    if name == "fp8e4b15":
        # Triton converts through float16, and larger numbers become 1.75.
        x = x.half().float().clamp(-1.75, 1.75)
    out = torch.empty(1024, dtype=torch.uint8)
    stock.narrowed[(1,)](x, out, BLOCK=1024, KIND=FORMATS[name][0])
    # No other number of the format is nearer.
    nearest = (x.double()[:, None] - finite[None, :]).abs().min(1).values
    assert ((meaning(name, out).double() - x.double()).abs() <= nearest).all()


@pytest.mark.parametrize("name", FORMATS)
def test_products(name: str) -> None:
    codes = CODES[meaning(name, CODES).isfinite()]
    a, b = (codes[torch.randint(len(codes), (32, 32))] for _ in range(2))
    out = torch.empty(32, 32)
    stock.product[(1,)](a, b, out, N=32, KIND=FORMATS[name][0])
    left, right = meaning(name, a).double(), meaning(name, b).double()
    bound = 32 * 2.0**-22 * (left.abs() @ right.abs()) + 1e-30
    assert ((out.double() - left @ right).abs() <= bound).all()


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "fp8e4b15"])
def test_sums(name: str) -> None:
    small = CODES[meaning(name, CODES).abs() < 1]
    x = small[torch.randint(len(small), (256,))]
    out = torch.empty(256)
    stock.summed[(1,)](x, out, BLOCK=256, KIND=FORMATS[name][0])
    assert torch.equal(out, (2 * meaning(name, x)).to(FORMATS[name][1]).float())


def test_a_format_of_bytes_does_not_compute() -> None:
    # Triton treats it as an integer of 8 bits, whose sum as floats its verifier refuses for every target.
    with pytest.raises((RuntimeError, triton.CompilationError)):
        stock.summed[(1,)](CODES, torch.empty(256), BLOCK=256, KIND=tl.float8e4b15)
