"""Tests of functions of the language as methods of a block: results equal those of plain calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

N = 16


@blockdsl.jit
def three_ways(x_ptr, out, NAME: tl.constexpr, MORE: tl.constexpr, N: tl.constexpr):
    lanes = tl.arange(0, N)
    x = tl.load(x_ptr + lanes)
    zeros = tl.zeros((N,), tl.float64)
    tl.store(out + lanes, zeros + tl.ravel(getattr(x, NAME)(*MORE) + tl.zeros((1,), tl.int8)))
    tl.store(out + N + lanes, zeros + tl.ravel(getattr(tl, NAME)(x, *MORE) + tl.zeros((1,), tl.int8)))
    tl.store(out + 2 * N + lanes, zeros + tl.ravel(getattr(tl.tensor, NAME)(x, *MORE) + tl.zeros((1,), tl.int8)))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softmax(x: Any) -> Any:
    return np.exp(x) / np.exp(x).sum()


FLOATS: dict[str, tuple[tuple[Any, ...], Callable[[Any], Any]]] = {
    "abs": ((), np.abs), "argmax": ((0,), np.argmax), "argmin": ((0,), np.argmin),
    "broadcast_to": ((16,), np.array), "cast": ((tl.int32,), np.trunc), "ceil": ((), np.ceil), "cos": ((), np.cos),
    "cumprod": ((0,), np.cumprod), "cumsum": ((0,), np.cumsum), "exp": ((), np.exp), "exp2": ((), np.exp2),
    "expand_dims": ((1,), np.array), "flip": ((0,), np.flip), "floor": ((), np.floor), "max": ((0,), np.max),
    "min": ((0,), np.min), "permute": (((0,),), np.array), "ravel": ((), np.array), "reshape": (((4, 4),), np.array),
    "sigmoid": ((), sigmoid), "sin": ((), np.sin), "softmax": ((0,), softmax), "sort": ((0,), np.sort),
    "sum": ((0,), np.sum), "view": (((2, 8),), np.array),
}  # fmt: skip

POSITIVE: dict[str, tuple[tuple[Any, ...], Callable[[Any], Any]]] = {
    "log": ((), np.log), "log2": ((), np.log2), "rsqrt": ((), lambda x: 1 / np.sqrt(x)), "sqrt": ((), np.sqrt),
    "sqrt_rn": ((), np.sqrt),
}  # fmt: skip

INTEGERS: dict[str, tuple[tuple[Any, ...], Callable[[Any], Any]]] = {
    "cdiv": ((3,), lambda x: np.trunc((x + 2) / 3)), "histogram": ((16,), lambda x: np.bincount(x, minlength=16)),
    "reduce_or": ((0,), np.bitwise_or.reduce), "xor_sum": ((0,), np.bitwise_xor.reduce),
}  # fmt: skip


def compare(run: Run, x: torch.Tensor, name: str, more: tuple[Any, ...], meaning: Callable[[Any], Any]) -> None:
    out = torch.zeros(3, N, dtype=torch.float64)
    run(three_ways, (1,), x, out, NAME=name, MORE=more, N=N)
    expected = np.broadcast_to(np.asarray(meaning(x.numpy()), np.float64).reshape(-1), (N,))
    check(out[0].float(), expected.astype(np.float32), scale=8)
    assert torch.equal(out[1], out[0])
    assert torch.equal(out[2], out[0])


@pytest.mark.parametrize("name", FLOATS)
def test_of_floats(run: Run, name: str) -> None:
    compare(run, numbers(torch.float32, N), name, *FLOATS[name])


@pytest.mark.parametrize("name", POSITIVE)
def test_of_positive_floats(run: Run, name: str) -> None:
    compare(run, numbers(torch.float32, N, low=0.25), name, *POSITIVE[name])


@pytest.mark.parametrize("name", INTEGERS)
def test_of_integers(run: Run, name: str) -> None:
    compare(run, numbers(torch.int32, N, low=0, high=15), name, *INTEGERS[name])


@blockdsl.jit
def asks(x_ptr, out, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    more = getattr(x, "frobnicate", 3)
    if hasattr(x, "sum") and not hasattr(x, "frobnicate"):
        more += 10
    if hasattr(tl, "exp") and not hasattr(tl, "expo"):
        more += 100
    if getattr(x, "dtype").is_floating() and hasattr(x.dtype, "is_fp16"):  # noqa: B009 - it is what is asked here
        more += 1000
    tl.store(out, more)


def test_hasattr_in_kernels(run: Run) -> None:
    out = torch.zeros(1, dtype=torch.int32)
    run(asks, (1,), numbers(torch.float32, N), out, N=N)
    assert out.item() == 1113
