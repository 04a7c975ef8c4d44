"""Tests of warnings of launches that are probably mistakes: once, at their line, and none for other launches.

Warned of are views whose strides are not passed, and tensors of more than 2**31 elements with offsets of 32 bits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import LaunchWarning
from blockdsl.tools.tensor_descriptor import TensorDescriptor


def make() -> blockdsl.JITFunction:
    @blockdsl.jit
    def copy(x, out, n, stride, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at * stride, mask=at < n), mask=at < n)

    return copy


Make = Callable[[], Any]

SURPRISING: list[tuple[Make, str]] = [
    (lambda: torch.ones(8, 5).T, "shape (5, 8) and strides (1, 5)"),
    (lambda: torch.ones(128)[::2], "shape (64,) and strides (2,)"),
    (lambda: torch.ones(4, 30)[:, :20], "shape (4, 20) and strides (30, 1)"),
    (lambda: np.ones((8, 5), np.float32).T, "shape (5, 8) and strides (1, 5)"),
    (lambda: torch.ones(64)[:1].expand(9), "shape (9,) and strides (0,)"),
]


@pytest.mark.parametrize("case", SURPRISING, ids=range(len(SURPRISING)))
def test_missing_strides_warn(case: tuple[Make, str]) -> None:
    view, text = case
    kernel, out = make(), torch.zeros(64)

    def launch() -> None:
        for n in (0, 4, 7):
            kernel[(1,)](view(), out, n, 1, BLOCK=64)

    with pytest.warns(LaunchWarning) as caught:
        launch()
    assert [str(each.message) for each in caught] == [
        f"argument 'x' of kernel 'copy' has {text}, and no argument is one of these strides: the kernel sees memory, "
        "not the view; pass the strides, or x.contiguous()"
    ]
    assert caught[0].filename == __file__


FINE: list[tuple[Make, object]] = [
    (lambda: torch.ones(8, 5).T, 5),
    (lambda: torch.ones(8, 5).T, tl.constexpr(5)),
    (lambda: torch.ones(128)[::2], 2),
    (lambda: torch.ones(128)[::2], np.int64(2)),
    (lambda: torch.ones(64), 1),
    (lambda: torch.ones(64)[3:], 1),
    (lambda: torch.ones(5, 1, 8).transpose(0, 1), 1),
    (lambda: torch.ones(1, 64)[:, :1], 1),
    # Rows of three dimensions are one stride apart.
    (lambda: torch.ones(2, 3, 30)[:, :, :20], 30),
    (lambda: torch.empty(0, 5).T, 1),
]


@pytest.mark.parametrize("case", FINE, ids=range(len(FINE)))
def test_launches_without_a_warning(case: tuple[Make, object]) -> None:
    view, stride = case
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make()[(1,)](view(), torch.zeros(64), 0, stride, BLOCK=64)


def test_a_descriptor_carries_its_strides() -> None:
    @blockdsl.jit
    def copy_rows(x, out):
        out.store([0, 0], x.load([0, 0]))

    x, out = torch.ones(8, 32)[:, :16], torch.zeros(8, 16)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy_rows[(1,)](TensorDescriptor.from_tensor(x, [8, 16]), TensorDescriptor.from_tensor(out, [8, 16]))
    assert out.eq(1).all()


HUGE = 2**31 + 1


def huge(elements: int = HUGE, dtype: torch.dtype = torch.int8) -> torch.Tensor:
    """Returns a tensor with that many elements, none of which is accessed, so that they take no memory."""
    return torch.empty(elements, dtype=dtype)


def filling() -> blockdsl.JITFunction:
    @blockdsl.jit
    def fill(x, n, BLOCK: tl.constexpr):
        first = tl.program_id(0) * BLOCK
        at = first + tl.arange(0, BLOCK)
        tl.store(x + at, 1, mask=at < n)

    return fill


def line_of_product(kernel: blockdsl.JITFunction) -> str:
    return f"{__file__}:{kernel.fn.__code__.co_firstlineno + 2}"


def test_offsets_that_wrap() -> None:
    kernel = filling()
    kernel[(1,)](huge(64), 64, BLOCK=64)

    def launch() -> None:
        for x in (huge(), huge(), huge(HUGE + 100)):
            kernel[(1,)](x, 64, BLOCK=64)

    with pytest.warns(LaunchWarning) as caught:
        launch()
    assert [str(each.message) for each in caught] == [
        f"argument 'x' of kernel 'fill' has shape ({HUGE},), and its offsets are computed in 32 bits at "
        f"{line_of_product(kernel)}: beyond 2147483647 they wrap; widen what they are made of, as in "
        "tl.program_id(0).to(tl.int64)"
    ]
    assert caught[0].filename == __file__


@pytest.mark.parametrize("where", ["array", "tuple", "process", "atomic"])
def test_offsets_that_wrap_anywhere(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @blockdsl.jit
    def fill_pair(xs, BLOCK: tl.constexpr):
        first = tl.program_id(0) * BLOCK
        tl.store(xs[1] + first, 1)

    @blockdsl.jit
    def count(x, BLOCK: tl.constexpr):
        tl.atomic_add(x + tl.program_id(0) * BLOCK, 1.0)

    if where == "process":
        monkeypatch.setenv("BLOCKDSL_COMPILE", "process")
        monkeypatch.setenv("BLOCKDSL_CACHE", "0")

    def launch() -> None:
        if where == "tuple":
            fill_pair[(1,)]((torch.zeros(1), huge()), BLOCK=64)
        elif where == "atomic":
            count[(1,)](huge(dtype=torch.float16), BLOCK=64)
        else:
            filling()[(1,)](np.empty(HUGE, np.int16) if where == "array" else huge(), 64, BLOCK=64)

    with pytest.warns(LaunchWarning, match="its offsets are computed in 32 bits at") as caught:
        launch()
    assert len(caught) == 1
    assert "argument 'xs[1]'" in str(caught[0].message) or where != "tuple"


def test_offsets_that_hold() -> None:
    @blockdsl.jit
    def widened(x, n, BLOCK: tl.constexpr):
        at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + at, 1, mask=at < n)

    @blockdsl.jit
    def first_only(x, n, BLOCK: tl.constexpr):
        tl.store(x + tl.program_id(0), 1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filling()[(1,)](huge(2**31), 64, BLOCK=64)
        filling()[(1,)](huge(2**31, torch.int16), 64, BLOCK=64)
        widened[(1,)](huge(), 64, BLOCK=64)
        first_only[(1,)](huge(), 64, BLOCK=64)
