"""Tests of the shapes of blocks, and of split sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.utils import run_and_get_code

from blockdsl.torch_compile.choices import (
    CACHE_LINE,
    CACHED_ELEMENTS,
    COLUMNS,
    ELEMENTS,
    LONGEST_COLUMN,
    LONGEST_ROW,
    PACKED_ELEMENTS,
    SCANNED_ROWS,
    SHORT_ROW,
    SQUARE,
    STREAMS,
    SUMS_IN_REGISTERS,
    are_persistent,
    is_column_persistent,
    is_row_persistent,
    order,
    pointwise,
    power_of_two,
    reduction,
    splits,
    streams,
)


@pytest.mark.parametrize(
    ("extents", "scores", "block"),
    [
        ({"x": 5}, {}, {"XBLOCK": 8}),
        ({"x": 10_000_000}, {"x": 7}, {"XBLOCK": ELEMENTS}),
        ({"y": 300, "x": 20}, {}, {"YBLOCK": SQUARE, "XBLOCK": 32}),
        ({"y": 300, "x": 20}, {"y": 5, "x": 7}, {"YBLOCK": SQUARE, "XBLOCK": 32}),
        ({"z": 9, "y": 300, "x": 20}, {}, {"ZBLOCK": 1, "YBLOCK": SQUARE, "XBLOCK": 32}),
        ({"y": 300, "x": 20}, {"y": 0, "x": 7}, {"YBLOCK": ELEMENTS // 32, "XBLOCK": 32}),
        ({"z": 9, "y": 30, "x": 20}, {"y": 0, "x": 7}, {"ZBLOCK": ELEMENTS // 1024, "YBLOCK": 32, "XBLOCK": 32}),
        ({"y": 300, "x": 10_000}, {"x": 7}, {"YBLOCK": 1, "XBLOCK": ELEMENTS}),
    ],
)
def test_elements(extents: dict[str, int], scores: dict[str, int], block: dict[str, int]) -> None:
    assert pointwise(extents, scores) == block


ROWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "gathered": lambda x: x[torch.tensor([3, 1, 3, 0, 2])] * 2,
    "concatenated": lambda x: torch.cat([x, 2 * x], 1) + 1,
    "neighbors": lambda x: x[1:-1, 1:-1] * 4 - x[:-2, 1:-1] - x[2:, 1:-1],
    "padded": lambda x: torch.nn.functional.pad(x, (1, 2, 3, 4)) * 2,
    "broadcast": lambda x: x[:, :1] * x[:1],
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_a_dimension_of_their_own(name: str) -> None:
    code = compiled_code(ROWS[name], torch.randn(40, 77))
    assert ("yindex" in code, "% " in code.partition("xindex")[2].partition("tl.store")[0]) == (True, False)


@pytest.mark.parametrize("sizes", [(3, 5, 7, 11), (2, 32, 9, 13), (4, 70, 3, 65)])
def test_elements_that_are_read_along_two_dimensions_of_three(sizes: tuple[int, ...]) -> None:
    code = compiled_code(lambda x: x.contiguous(memory_format=torch.channels_last) * 2, torch.randn(sizes))
    assert ("zindex" in code, "yindex %" in code) == (True, False)


def test_dynamic_rows_and_user_settings_are_one_dimension() -> None:
    x = torch.randn(40, 77)
    assert "yindex" not in compiled_code(ROWS["concatenated"], x, **{"triton.max_tiles": 2})
    compiled: Any = torch.compile(ROWS["concatenated"], backend="blockdsl", dynamic=True)
    result, (code,) = run_and_get_code(compiled, x)
    torch.testing.assert_close(result, ROWS["concatenated"](x))
    assert "yindex" not in code


@pytest.mark.parametrize(
    ("extents", "rows", "read", "is_persistent", "passes", "block"),
    [
        ({"x": 4096, "r0_": 4096}, "x", "outer", False, 1, {"XBLOCK": COLUMNS, "R0_BLOCK": 1}),
        ({"x": 33, "r0_": 8}, "x", "outer", True, 1, {"XBLOCK": 64}),
        ({"x": 4096, "r0_": 4096}, "x", "inner", False, 1, {"XBLOCK": STREAMS, "R0_BLOCK": CACHE_LINE}),
        ({"x": 40, "r0_": 1 << 20}, "x", "inner", False, 1, {"XBLOCK": 2, "R0_BLOCK": CACHE_LINE}),
        ({"x": 4096, "r0_": 2 * LONGEST_ROW}, "x", "inner", False, 2, {"XBLOCK": 1, "R0_BLOCK": CACHE_LINE}),
        ({"x": 4096, "r0_": 3}, "x", "inner", False, 1, {"XBLOCK": STREAMS, "R0_BLOCK": 4}),
        ({"x": 4096, "r0_": 1000}, "x", "inner", True, 1, {"XBLOCK": 1}),
        ({"x": 4096, "r0_": 3}, "x", "inner", True, 1, {"XBLOCK": PACKED_ELEMENTS // 4}),
        ({"x": 4096, "r0_": 1000}, "x", "mixed", False, 1, {"XBLOCK": CACHE_LINE, "R0_BLOCK": CACHE_LINE}),
        (
            {"y": 90, "x": 7, "r0_": 9},
            "y",
            "mixed",
            False,
            1,
            {"YBLOCK": CACHE_LINE, "XBLOCK": 1, "R0_BLOCK": CACHE_LINE},
        ),
        ({"y": 90, "x": 7, "r0_": 900}, "x", "inner", True, 1, {"YBLOCK": 1, "XBLOCK": 1}),
        ({"y": 4, "x": 3000, "r0_": 32}, "x", "mixed_short", True, 1, {"YBLOCK": 1, "XBLOCK": ELEMENTS // 32}),
        ({"x": 3000, "r0_": SHORT_ROW}, "x", "mixed_short", True, 1, {"XBLOCK": CACHE_LINE}),
        ({"x": 32, "r0_": 8, "r1_": 784}, "x", "inner", True, 1, {"XBLOCK": 1}),
        ({"x": 32, "r0_": 4, "r1_": 4}, "x", "inner", True, 1, {"XBLOCK": PACKED_ELEMENTS // 16}),
    ],
)
def test_sums(
    extents: dict[str, int], rows: str, read: str, is_persistent: bool, passes: int, block: dict[str, int]
) -> None:
    assert reduction(extents, rows, read, is_persistent, passes, threads=8) == block


@pytest.mark.parametrize(
    ("scores", "length", "is_outer", "read"),
    [
        ({"x": 5, "r0_": 4}, 1000, False, "mixed"),
        ({"x": 4, "r0_": 5}, 1000, True, "mixed"),
        ({"x": 1, "r0_": 3}, 1000, True, "inner"),
        ({"x": 1, "r0_": 3}, SHORT_ROW, True, "mixed_short"),
        ({"x": 5, "r0_": 4}, 3, False, "mixed_short"),
        ({"x": 5, "r0_": 1}, 3, False, "outer"),
        ({"x": 1, "r0_": 5}, 3, True, "inner"),
        ({"x": 0, "r0_": 0}, 3, True, "inner"),
        ({"r0_": 5}, 3, True, "outer"),
        ({}, 3, False, "inner"),
    ],
)
def test_the_order_in_which_a_sum_reads(scores: dict[str, int], length: int, is_outer: bool, read: str) -> None:
    assert order(scores, "x", length, is_outer) == read


CROSSING: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "sum": lambda x, y: (x * y).sum(-1),
    "amax": lambda x, y: (x * y).amax(-1),
    "argmin": lambda x, y: (x - y).argmin(-1),
    "softmax": lambda x, y: (x + y).softmax(-1),
    "var": lambda x, y: (x + y).var(-1),
}


@pytest.mark.parametrize(
    ("name", "sizes", "dynamic"),
    [*((name, (24, 24, 40), False) for name in CROSSING), ("sum", (3, 5, 7), False), ("sum", (20, 2, 130), True)],
)
def test_a_reduction_that_is_tiled_in_three_dimensions(name: str, sizes: tuple[int, int, int], dynamic: bool) -> None:
    rows, beside, length = sizes
    x, y = torch.randn(rows, beside, length), torch.randn(beside, length, rows).permute(2, 0, 1)
    compiled: Any = torch.compile(CROSSING[name], backend="blockdsl", dynamic=dynamic)
    torch.testing.assert_close(compiled(x, y), CROSSING[name](x, y), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("extents", "is_persistent"),
    [
        ((8, 784), True),
        ((9, 520), False),
        ((9, 9), False),
        ((2, LONGEST_ROW // 2), True),
        ((4, LONGEST_ROW // 2), False),
    ],
)
def test_reduction_over_two_dimensions_in_one_block(extents: tuple[int, ...], is_persistent: bool) -> None:
    assert are_persistent(*extents) == is_persistent


REDUCTIONS: dict[str, Callable[..., torch.Tensor]] = {
    "sum": lambda x, dims: x.sum(dims),
    "amax": lambda x, dims: x.amax(dims),
    "var": lambda x, dims: x.var(dims),
    "any": lambda x, dims: (x > 3).any(dims[0]) & (x > 2).all(dims[0]),
    "argmin": lambda x, dims: x.movedim(dims, tuple(range(len(dims)))).flatten(0, len(dims) - 1).argmin(0),
    "normalized": lambda x, dims: (x - x.mean(dims, keepdim=True)) / x.std(dims, keepdim=True),
    "smallest, with its place": lambda x, dims: torch.stack([part.float() for part in x.min(dims[0])]),
}
SHAPES = {
    "middle": ((5, 30, 70), (1,), "yindex"),
    "middle of four": ((3, 30, 4, 70), (1,), "yindex"),
    "channels": ((3, 16, 9, 100), (0, 2, 3), "r1_index"),
    "windows": ((6, 8, 5, 16), (1, 3), "r1_index"),
    "three apart": ((2, 3, 4, 5, 6, 16), (1, 3, 5), "r0_index"),
    "two apart, read across": ((6, 9, 5, 40), (0, 2), "yindex"),
    "nine in a row of nine": ((4, 9, 3, 9), (1, 3), "r0_index"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_are_tiled_by_the_dimensions_of_their_tensors(name: str, shape: str) -> None:
    sizes, dims, _ = SHAPES[shape]
    function, x = REDUCTIONS[name], torch.randn(sizes)
    compiled = torch.compile(lambda x: function(x, dims), backend="blockdsl", fullgraph=True)
    wanted = function(x.double() if name != "smallest, with its place" else x, dims)
    torch.testing.assert_close(compiled(x), wanted.to(compiled(x).dtype), rtol=1e-5, atol=1e-5)


# Before torch 2.13 the rows of a reduction keep one dimension; the values are the same.
@pytest.mark.since_torch_2_13
@pytest.mark.parametrize("shape", SHAPES)
def test_dimensions_of_a_tiled_reduction(shape: str) -> None:
    sizes, dims, index = SHAPES[shape]
    assert index in compiled_code(lambda x: x.sum(dims), torch.randn(sizes))


def test_short_rows_that_are_written_across_are_read_several_at_a_time() -> None:
    def norm(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x.permute(0, 2, 3, 1), (30,), x[0, :, 0, 0])

    assert f"'XBLOCK': {ELEMENTS // 32}" in compiled_code(norm, torch.randn(2, 30, 9, 90))


@pytest.mark.parametrize(("rows", "beside"), [(1, 1), (31, 1), (32, 2), (63, 2), (64, 4), (4096, STREAMS)])
def test_rows_are_combined_if_enough_programs_remain(rows: int, beside: int) -> None:
    assert streams(rows, 8) == beside


def test_a_sum_is_cut_where_there_are_fewer_than_threads() -> None:
    assert splits(1 << 24, 1, True, 16) == 64
    assert splits(1 << 24, 64, True, 16) == 1
    assert splits(1000, 1, True, 16) == 1
    # Columns for two programs.
    assert splits(1 << 16, 2 * COLUMNS, False, 16) == 32
    assert splits(100_000, 3, False, 2) == 4
    assert splits(4096, 4096, False, 2) == 1


@pytest.mark.parametrize(
    ("rows", "length", "passes", "is_persistent"),
    [
        (CACHED_ELEMENTS // 4096 + 1, 4096, 1, False),
        (CACHED_ELEMENTS // 4096, 4096, 1, True),
        (4096, 4096, 2, True),
        (4096, 4097, 1, True),
        (1, LONGEST_ROW, 2, True),
        (1, LONGEST_ROW + CACHE_LINE, 2, False),
    ],
)
def test_rows_are_held_unless_read_once(rows: int, length: int, passes: int, is_persistent: bool) -> None:
    assert is_row_persistent(rows, length, passes) == is_persistent


@pytest.mark.parametrize(
    ("columns", "length", "passes", "kinds", "is_persistent"),
    [
        (SUMS_IN_REGISTERS, LONGEST_COLUMN, 1, {"sum", "max"}, True),
        (SUMS_IN_REGISTERS + 1, 65, 1, {"sum"}, False),
        (1, LONGEST_COLUMN + 1, 1, {"sum"}, False),
        (17, 65, 2, {"sum"}, False),
        (17, 65, 1, {"max", "argmax"}, False),
    ],
)
def test_sums_of_few_columns_stay_in_registers(
    columns: int, length: int, passes: int, kinds: set[str], is_persistent: bool
) -> None:
    assert is_column_persistent(columns, length, passes, kinds) == is_persistent


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
    """Returns the code of a function, after a comparison of its results with those in float64."""
    compiled: Any = torch.compile(function, backend="blockdsl", dynamic=False, options=settings)
    result, (code,) = run_and_get_code(compiled, x)
    torch.testing.assert_close(result.double(), function(x.double()).double(), rtol=1e-4, atol=1e-4)
    return str(code)


@pytest.mark.parametrize("length", [1025, 2048, 4099])
@pytest.mark.parametrize("name", KERNELS)
def test_rows_of_any_length(name: str, length: int) -> None:
    code = compiled_code(KERNELS[name], torch.randn(9, length))
    assert f"R0_BLOCK: tl.constexpr = {2048 if length <= 2048 else 8192}" in code


@pytest.mark.parametrize(
    "rows", [CACHED_ELEMENTS // 4096 + 1, CACHED_ELEMENTS // 4096 + 2, CACHED_ELEMENTS // 4096 + 4]
)
@pytest.mark.parametrize("name", ["sum", "mean, scaled", "argmax"])
def test_rows_beside_each_other(name: str, rows: int) -> None:
    code = compiled_code(KERNELS[name], torch.randn(rows, 4096))
    assert f"'XBLOCK': {STREAMS}" in code


@pytest.mark.parametrize("shape", [(33, 65, 17), (3, 1000, 10), (5, 129, 64)])
@pytest.mark.parametrize("name", ["sum", "mean, scaled"])
def test_all_rows_of_few_columns(name: str, shape: tuple[int, ...]) -> None:
    code = compiled_code(KERNELS[name], torch.randn(shape))
    assert f"R0_BLOCK: tl.constexpr = {power_of_two(shape[1], LONGEST_COLUMN)}" in code


@pytest.mark.parametrize(("name", "columns"), [("argmax", 17), ("sum", SUMS_IN_REGISTERS + 1)])
def test_one_row_per_iteration(name: str, columns: int) -> None:
    assert "'R0_BLOCK': 1" in compiled_code(KERNELS[name], torch.randn(33, 65, columns))


def test_no_tensor_sized_buffer_between_two_sums() -> None:
    code = compiled_code(KERNELS["softmax"], torch.randn(40, 5000))
    assert code.count("empty_strided_cpu((40, 5000)") == 1


def test_sum_from_memory_reads_a_line_per_iteration() -> None:
    x = torch.randn(CACHED_ELEMENTS // 8192 + 1, 8192)
    assert f"'R0_BLOCK': {CACHE_LINE}" in compiled_code(KERNELS["mean, scaled"], x)
    assert "R0_BLOCK: tl.constexpr = 8192" in compiled_code(KERNELS["variance"], x)


def test_a_row_is_not_held_where_that_is_not_wanted_or_its_length_is_not_known() -> None:
    x = torch.randn(9, 2048)
    assert "'R0_BLOCK'" in compiled_code(KERNELS["softmax"], x, **{"triton.persistent_reductions": False})
    longer = torch.randn(9, LONGEST_ROW + 8)
    assert f"'R0_BLOCK': {CACHE_LINE}" in compiled_code(KERNELS["softmax"], longer)
    compiled: Any = torch.compile(KERNELS["softmax"], backend="blockdsl", dynamic=True)
    _, (code,) = run_and_get_code(compiled, x)
    assert f"'R0_BLOCK': {CACHE_LINE}" in code


@pytest.mark.parametrize(("rows", "block"), [(5, 8), (40, SCANNED_ROWS)])
def test_rows_are_scanned_several_at_a_time(rows: int, block: int) -> None:
    x = torch.randn(rows, 300)
    x[3, 7:9], x[2, 5:20] = torch.nan, 9.0
    code = compiled_code(lambda x: x.nan_to_num().cumprod(1), x)
    assert f"'XBLOCK': {block}" in code
    compiled: Any = torch.compile(lambda x: x.cummax(1), backend="blockdsl")
    values, places = compiled(x)
    torch.testing.assert_close(values, x.cummax(1).values, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(places, x.cummax(1).indices)


def test_a_scan_of_unknown_length_keeps_inductors_block() -> None:
    x = torch.randn(40, 3000)
    compiled: Any = torch.compile(lambda x: x.cumsum(1), backend="blockdsl", dynamic=True)
    torch.testing.assert_close(compiled(x), x.cumsum(1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(16, 16), (17, 15), (64, 64), (63, 128), (130, 65)])
def test_tensors_read_along_and_across_rows(shape: tuple[int, int]) -> None:
    x, y = torch.randn(shape), torch.randn(shape).t().contiguous()
    compiled_code(lambda x: x.t().contiguous(), x)
    compiled_code(lambda x: x + y.to(x.dtype).t(), x)
    compiled_code(lambda x: (x * y.to(x.dtype).t()).sum(1), x)
