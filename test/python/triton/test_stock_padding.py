"""Tests of host descriptors with NaN as padding, passed to stock kernels: at first launches and at later ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from blockdsl.errors import LaunchError


@triton.jit
def copy(d, out, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out + at[:, None] * B + at[None, :], d.load([0, 0]))


@triton.jit
def add(a, b, out, B: tl.constexpr):
    out.store([0, 0], a.load([0, 0]) + b.load([0, 0]))


@triton.jit
def add_pair(pair, out, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out + at[:, None] * B + at[None, :], pair[0].load([0, 0]) + pair[1].load([0, 0]))


X = torch.arange(400.0).reshape(20, 20)


def described(x: torch.Tensor, padding: str, size: int = 32) -> TensorDescriptor:
    # Row lengths are multiples of 16 bytes.
    wide = torch.zeros(x.shape[0], -x.shape[1] // 16 * -16, dtype=x.dtype)
    wide[:, : x.shape[1]] = x
    return TensorDescriptor(wide, list(x.shape), list(wide.stride()), [size, size], padding=padding)


def padded(x: torch.Tensor, padding: str, size: int = 32) -> torch.Tensor:
    full = torch.full((size, size), float(padding == "nan" and "nan")).to(x.dtype)
    full[: x.shape[0], : x.shape[1]] = x
    return full


def same(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)


LAUNCHES: list[Callable[[Any, torch.Tensor], object]] = [
    lambda d, out: copy[(1,)](d, out, B=32),
    lambda d, out: copy.run(d, out, B=32, grid=(1,), warmup=False),
    # A kept kernel is launched with any descriptor of its type.
    lambda d, out: copy.warmup(described(X, "zero"), out, B=32, grid=(1,))[(1, 1, 1)](d, out, 32),
]


@pytest.mark.parametrize("launch", LAUNCHES, ids=range(len(LAUNCHES)))
def test_one_padding_after_the_other(launch: Callable[[Any, torch.Tensor], object]) -> None:
    copy.device_caches.clear()
    vars(copy)["_shortcut"] = None
    for padding in ("nan", "zero", "nan", "nan", "zero", "zero", "nan"):
        out = torch.zeros(32, 32)
        launch(described(X, padding), out)
        same(out, padded(X, padding))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_floats(dtype: torch.dtype) -> None:
    for _ in range(2):
        out = torch.zeros(32, 32, dtype=dtype)
        copy[(1,)](described(X.to(dtype), "nan"), out, B=32)
        same(out, padded(X.to(dtype), "nan"))


def test_each_descriptor_has_its_own() -> None:
    y = X[:8, :12]
    for _ in range(2):
        for first, second in (("nan", "zero"), ("zero", "nan"), ("nan", "nan"), ("zero", "zero")):
            expected = padded(X, first) + padded(y, second)
            out = torch.zeros(32, 32)
            add[(1,)](
                described(X, first), described(y, second), TensorDescriptor(out, [32, 32], [32, 1], [32, 32]), B=32
            )
            same(out, expected)
            out.zero_()
            add_pair[(1,)]((described(X, first), described(y, second)), out, B=32)
            same(out, expected)


def test_integers_have_no_nan() -> None:
    with pytest.raises(AssertionError, match="only supported for floating point"):
        described(X.int(), "nan")
    for warm in (False, True):
        if warm:
            copy[(1,)](described(X.int(), "zero"), torch.zeros(32, 32, dtype=torch.int32), B=32)
        changed = described(X.int(), "zero")
        changed.padding = "nan"
        with pytest.raises(LaunchError, match="padding is 'nan', which only floats can be, and the elements are i32"):
            copy[(1,)](changed, torch.zeros(32, 32, dtype=torch.int32), B=32)
        changed.padding = "one"
        with pytest.raises(LaunchError, match="padding is 'one', and has to be 'zero' or 'nan'"):
            copy[(1,)](changed, torch.zeros(32, 32, dtype=torch.int32), B=32)
