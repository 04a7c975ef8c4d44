"""The shapes of blocks, and how sums are cut."""

from __future__ import annotations

import pytest

from blockdsl.torch_compile.choices import COLUMNS, ELEMENTS, PACKED, SQUARE, TURN, pointwise, reduction, splits


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
    ("extents", "is_outer", "is_persistent", "block"),
    [
        ({"x": 4096, "r0_": 4096}, True, False, {"XBLOCK": COLUMNS, "R0_BLOCK": 1}),
        ({"x": 33, "r0_": 8}, True, True, {"XBLOCK": 64}),
        ({"x": 4096, "r0_": 4096}, False, False, {"XBLOCK": 1, "R0_BLOCK": TURN}),
        ({"x": 4096, "r0_": 17}, False, False, {"XBLOCK": 1, "R0_BLOCK": 32}),
        ({"x": 4096, "r0_": 1000}, False, True, {"XBLOCK": 1}),
        ({"x": 4096, "r0_": 3}, False, True, {"XBLOCK": PACKED // 4}),
    ],
)
def test_sums(extents: dict[str, int], is_outer: bool, is_persistent: bool, block: dict[str, int]) -> None:
    assert reduction(extents, is_outer, is_persistent) == block


def test_a_sum_is_cut_where_there_are_fewer_than_threads() -> None:
    assert splits(1 << 24, 1, True, 16) == 64
    assert splits(1 << 24, 64, True, 16) == 1
    assert splits(1000, 1, True, 16) == 1
    # Two programs' worth of columns.
    assert splits(1 << 16, 2 * COLUMNS, False, 16) == 32
    assert splits(100_000, 3, False, 2) == 4
    assert splits(4096, 4096, False, 2) == 1
