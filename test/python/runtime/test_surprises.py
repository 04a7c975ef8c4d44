"""A view whose strides nobody passes is launched with a warning, once, at its line; all other launches without."""

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
def test_strides_that_nobody_passes(case: tuple[Make, str]) -> None:
    view, shown = case
    kernel, out = make(), torch.zeros(64)

    def launch() -> None:
        for n in (0, 4, 7):
            kernel[(1,)](view(), out, n, 1, BLOCK=64)

    with pytest.warns(LaunchWarning) as told:
        launch()
    assert [str(each.message) for each in told] == [
        f"argument 'x' of kernel 'copy' has {shown}, and no argument is one of these strides: the kernel sees memory, "
        "not the view; pass the strides, or x.contiguous()"
    ]
    assert told[0].filename == __file__


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
def test_launches_without_a_word(case: tuple[Make, object]) -> None:
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
