"""Tests of the error of long sums, which are added up in pieces of a row, as torch and Inductor's C++ do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.utils import run_and_get_code

from blockdsl.torch_compile.cascades import PIECE

BOUND = PIECE * torch.finfo(torch.float32).eps / 2
"""Bound of the relative error of adding the equal numbers of a piece."""

SUMS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], tuple[int, ...]]] = {
    "all": (lambda x: x.sum(), (1 << 24,)),
    "mean of a size that is no power of two": (lambda x: x.mean(), (4_000_003,)),
    "rows": (lambda x: x.sum(1), (130, (1 << 18) + 16)),
    "rows that end within a block": (lambda x: x.sum(1), (130, (1 << 18) + 5)),
    "columns": (lambda x: x.sum(0), (1 << 16, 600)),
    "two sums of a row": (lambda x: x.sum(1) + (2 * x).sum(1), (130, 1 << 18)),
    "squares": (lambda x: (x * x).sum(), (1 << 23,)),
}


@pytest.mark.parametrize("name", SUMS)
def test_long_sums(name: str) -> None:
    function, sizes = SUMS[name]
    x = torch.full(sizes, 0.1)
    compiled: Any = torch.compile(function, backend="blockdsl")
    wanted = function(x.double())
    assert ((compiled(x) - wanted) / wanted).abs().max() < BOUND


def test_a_long_sum_of_unknown_length() -> None:
    compiled: Any = torch.compile(lambda x: x.sum(1), backend="blockdsl", dynamic=True)
    for length in (100_000, 300_007, 50):
        x = torch.full((150, length), 0.1)
        wanted = x.double().sum(1)
        assert ((compiled(x) - wanted) / wanted).abs().max() < BOUND


def test_a_long_variance() -> None:
    x = torch.randn(1 << 22) + 1
    compiled: Any = torch.compile(lambda x: torch.var_mean(x), backend="blockdsl")
    for result, wanted in zip(compiled(x), torch.var_mean(x.double()), strict=True):
        assert abs(result - wanted) < 1e-6


def test_stores_in_the_loop_of_a_sum() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x.sin()
        return y, y.sum(1)

    x = torch.rand(130, 1 << 18)
    compiled: Any = torch.compile(function, backend="blockdsl")
    torch.testing.assert_close(compiled(x), function(x))


def test_a_sum_of_one_piece_is_one_loop() -> None:
    x = torch.randn(2000, 16 * 256)
    _, (code,) = run_and_get_code(torch.compile(lambda x: x.sum(1), backend="blockdsl"), x)
    assert ("for r0_offset in" in code, "for r0_piece in" in code) == (True, False)
