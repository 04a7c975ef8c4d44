"""float8e4b15 by the names of `tl.extra.cuda`."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import CompileTimeAssertionError
from blockdsl.language.extra.cuda import convert_custom_float8_sm70, convert_custom_float8_sm80
from blockdsl.language.extra.cuda.utils import convert_float16_to_fp8e4b15, convert_fp8e4b15_to_float16


@blockdsl.jit
def converted(out_ptr, x_ptr, TO: tl.constexpr, OLD: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    if OLD:
        y = convert_custom_float8_sm70(x, tl.float8e4b15)
        back = convert_custom_float8_sm70(y, TO)
    else:
        y = convert_custom_float8_sm80(x, tl.float8e4b15, None)
        back = convert_custom_float8_sm80(y, TO)
    tl.store(out_ptr + at, back)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("count", [64, 2])
def test_round_trip(old: bool, dtype: Any, count: int) -> None:
    x = torch.linspace(-2.5, 2.5, count, dtype=dtype)
    out = torch.empty_like(x)
    converted[(1,)](out, x, tl.float16 if dtype == torch.float16 else tl.float32, old, BLOCK=count)
    # Three bits of mantissa from 2**-14 on, at most 1.75; ties away from zero.
    size = x.double().abs().clamp(max=1.75)
    if dtype == torch.float32:
        # It is truncated to float16 first.
        exponent = torch.floor(torch.log2(size.clamp(min=2.0**-14))) - 10
        size = torch.floor(size / 2**exponent) * 2**exponent
    unit = 2 ** (torch.floor(torch.log2(size.clamp(min=2.0**-14))) - 3)
    expected = torch.sign(x.double()) * (torch.floor(size / unit + 0.5) * unit).clamp(max=1.75)
    assert torch.equal(out.double(), expected)


@blockdsl.jit
def one_way(out_ptr, x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    y = convert_float16_to_fp8e4b15(tl.load(x_ptr + at), has_minx2=True)
    tl.store(out_ptr + at, convert_fp8e4b15_to_float16(y))


def test_one_way_by_name() -> None:
    x = torch.tensor([0.0, 1.0, -1.5, float("inf")], dtype=torch.float16)
    out = torch.empty_like(x)
    one_way[(1,)](out, x, BLOCK=4)
    assert out.tolist() == [0.0, 1.0, -1.5, 1.75]
    with pytest.raises(CompileTimeAssertionError, match="convert_float16_to_fp8e4b15 expects float16"):
        one_way[(1,)](out, x.float(), BLOCK=4)


@blockdsl.jit
def neither(out_ptr, x_ptr):
    tl.store(out_ptr, convert_custom_float8_sm80(tl.load(x_ptr), tl.float16))


def test_one_side_is_the_8_bit_type() -> None:
    with pytest.raises(CompileTimeAssertionError, match="expects float8e4b15 on one side"):
        neither[(1,)](torch.ones(1, dtype=torch.float16), torch.ones(1))
