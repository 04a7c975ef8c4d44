"""The shapes of blocks, and how sums are cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.utils import run_and_get_code

from blockdsl.torch_compile.choices import (
    CACHED,
    COLUMNS,
    ELEMENTS,
    PACKED,
    ROW,
    SQUARE,
    STREAMS,
    TURN,
    holds_row,
    pointwise,
    reduction,
    splits,
    streams,
)


@pytest.mark.parametrize(
    ("extents", "block"),
    [
        ({"x": 5}, {"XBLOCK": 8}),
        ({"x": 10_000_000}, {"XBLOCK": ELEMENTS}),
        ({"y": 300, "x": 20}, {"YBLOCK": SQUARE, "XBLOCK": 32}),
        ({"z": 9, "y": 300, "x": 20}, {"ZBLOCK": 1, "YBLOCK": SQUARE, "XBLOCK": 32}),
    ],
)
def test_elements(extents: dict[str, int], block: dict[str, int]) -> None:
    assert pointwise(extents) == block


@pytest.mark.parametrize(
    ("extents", "is_outer", "is_persistent", "passes", "block"),
    [
        ({"x": 4096, "r0_": 4096}, True, False, 1, {"XBLOCK": COLUMNS, "R0_BLOCK": 1}),
        ({"x": 33, "r0_": 8}, True, True, 1, {"XBLOCK": 64}),
        ({"x": 4096, "r0_": 4096}, False, False, 1, {"XBLOCK": STREAMS, "R0_BLOCK": TURN}),
        ({"x": 40, "r0_": 1 << 20}, False, False, 1, {"XBLOCK": 2, "R0_BLOCK": TURN}),
        ({"x": 4096, "r0_": 2 * ROW}, False, False, 2, {"XBLOCK": 1, "R0_BLOCK": TURN}),
        ({"x": 4096, "r0_": 3}, False, False, 1, {"XBLOCK": STREAMS, "R0_BLOCK": 4}),
        ({"x": 4096, "r0_": 1000}, False, True, 1, {"XBLOCK": 1}),
        ({"x": 4096, "r0_": 3}, False, True, 1, {"XBLOCK": PACKED // 4}),
    ],
)
def test_sums(extents: dict[str, int], is_outer: bool, is_persistent: bool, passes: int, block: dict[str, int]) -> None:
    assert reduction(extents, is_outer, is_persistent, passes, threads=8) == block


@pytest.mark.parametrize(("rows", "beside"), [(1, 1), (31, 1), (32, 2), (63, 2), (64, 4), (4096, STREAMS)])
def test_rows_are_read_beside_each_other_where_programs_are_left(rows: int, beside: int) -> None:
    assert streams(rows, 8) == beside


def test_a_sum_is_cut_where_there_are_fewer_than_threads() -> None:
    assert splits(1 << 24, 1, True, 16) == 64
    assert splits(1 << 24, 64, True, 16) == 1
    assert splits(1000, 1, True, 16) == 1
    # Two programs' worth of columns.
    assert splits(1 << 16, 2 * COLUMNS, False, 16) == 32
    assert splits(100_000, 3, False, 2) == 4
    assert splits(4096, 4096, False, 2) == 1


@pytest.mark.parametrize(
    ("rows", "length", "passes", "held"),
    [
        (CACHED // 4096 + 1, 4096, 1, False),
        (CACHED // 4096, 4096, 1, True),
        (4096, 4096, 2, True),
        (4096, 4097, 1, True),
        (1, ROW, 2, True),
        (1, ROW + TURN, 2, False),
    ],
)
def test_rows_are_held_unless_they_only_pass(rows: int, length: int, passes: int, held: bool) -> None:
    assert holds_row(rows, length, passes) == held


KERNELS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sum": lambda x: x.sum(1),
    "mean, scaled": lambda x: x.mean(1) * 3,
    "softmax": lambda x: torch.softmax(x, 1),
    "variance": lambda x: x.var(1),
    "layer norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[1:]),
    "divided by the largest": lambda x: x / (x.abs().amax(1, keepdim=True) + 1),
    "argmax": lambda x: x.argmax(1),
}


def compiled_code(function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, **settings: Any) -> str:
    """The code of a function that gives what it gives in float64."""
    compiled: Any = torch.compile(function, backend="blockdsl", dynamic=False, options=settings)
    result, (code,) = run_and_get_code(compiled, x)
    torch.testing.assert_close(result.double(), function(x.double()).double(), rtol=1e-4, atol=1e-4)
    return str(code)


@pytest.mark.parametrize("length", [1025, 2048, 4099])
@pytest.mark.parametrize("name", KERNELS)
def test_rows_of_any_length(name: str, length: int) -> None:
    code = compiled_code(KERNELS[name], torch.randn(9, length))
    assert f"R0_BLOCK: tl.constexpr = {2048 if length <= 2048 else 8192}" in code


@pytest.mark.parametrize("rows", [CACHED // 4096 + 1, CACHED // 4096 + 2, CACHED // 4096 + 4])
@pytest.mark.parametrize("name", ["sum", "mean, scaled", "argmax"])
def test_rows_beside_each_other(name: str, rows: int) -> None:
    code = compiled_code(KERNELS[name], torch.randn(rows, 4096))
    assert f"'XBLOCK': {STREAMS}" in code


def test_nothing_as_large_as_the_tensor_lies_between_two_sums() -> None:
    code = compiled_code(KERNELS["softmax"], torch.randn(40, 5000))
    assert code.count("empty_strided_cpu((40, 5000)") == 1


def test_a_sum_from_memory_reads_a_line_a_turn() -> None:
    x = torch.randn(CACHED // 8192 + 1, 8192)
    assert f"'R0_BLOCK': {TURN}" in compiled_code(KERNELS["mean, scaled"], x)
    assert "R0_BLOCK: tl.constexpr = 8192" in compiled_code(KERNELS["variance"], x)


def test_a_row_is_not_held_where_that_is_not_wanted_or_its_length_is_not_known() -> None:
    x = torch.randn(9, 2048)
    assert "'R0_BLOCK'" in compiled_code(KERNELS["softmax"], x, **{"triton.persistent_reductions": False})
    longer = torch.randn(9, ROW + 8)
    assert f"'R0_BLOCK': {TURN}" in compiled_code(KERNELS["softmax"], longer)
    compiled: Any = torch.compile(KERNELS["softmax"], backend="blockdsl", dynamic=True)
    _, (code,) = run_and_get_code(compiled, x)
    assert f"'R0_BLOCK': {TURN}" in code
