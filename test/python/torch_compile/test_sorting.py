"""Tests of sorting in a compiled graph, by our network in place of Inductor's unrolled one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.utils import run_and_get_code

from blockdsl.torch_compile.choices import SORTED_ROWS, power_of_two

DTYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.bool,
    torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8,
]  # fmt: skip


def rows(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Returns random rows in which a third of the elements are equal, with the special values of their type."""
    if dtype == torch.bool:
        return torch.rand(shape) < 0.5
    if dtype.is_floating_point:
        special = torch.tensor([0.0, -0.0, 1.0, float("inf"), -float("inf"), float("nan"), -float("nan")])
        x = torch.randn(shape)
    else:
        limits = torch.iinfo(dtype)
        special = torch.tensor([limits.min, limits.max, 0, 1], dtype=torch.int64)
        x = torch.randint(limits.min // 2, limits.max // 2, shape)
    chosen = special[torch.randint(len(special), shape)]
    return torch.where(torch.rand(shape) < 0.3, chosen, x).to(dtype)


def bits(x: torch.Tensor) -> list[Any]:
    """Returns numbers and signs to compare, with all NaNs equal and zeros of different signs."""
    if not x.dtype.is_floating_point:
        return x.tolist()
    return torch.stack([x.double().nan_to_num(nan=5e300), x.signbit() & ~x.isnan()]).tolist()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", [(40, 60), (3, 128), (1, 300), (17, 2), (5, 1)])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_order_matches_torch(dtype: torch.dtype, shape: tuple[int, ...], descending: bool) -> None:
    x = rows(dtype, *shape)
    compiled: Any = torch.compile(
        lambda x: torch.sort(x, dim=1, stable=True, descending=descending), backend="blockdsl"
    )
    (values, places), (code,) = run_and_get_code(compiled, x)
    expected = torch.sort(x, dim=1, stable=True, descending=descending)
    assert places.tolist() == expected.indices.tolist()
    assert bits(values) == bits(expected.values)
    assert "triton_helpers.sort_with_index(" not in code
    if shape[1] > 1:
        assert " sorting.sort_with_index(" in code
        assert f"'XBLOCK': {power_of_two(shape[0], SORTED_ROWS)}}}" in code


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.argsort(1),
        lambda x: x.sort(0),
        lambda x: x.msort(),
        lambda x: (x * 2 + 1).sort(-1).values.cumsum(-1),
        lambda x: x.view(4, 5, 60).sort(2, descending=True),
        lambda x: x.flatten()[:500].sort(),
    ],
    ids=["argsort", "columns", "msort", "fused", "three dimensions", "one row"],
)
def test_sorting_functions(function: Callable[[torch.Tensor], Any]) -> None:
    # No two are equal, because the order of equal ones is unspecified.
    x = torch.randperm(1200).view(20, 60).float()
    got, expected = torch.compile(function, backend="blockdsl")(x), function(x)
    if not torch.is_tensor(expected):
        got, expected = tuple(got), tuple(expected)
    torch.testing.assert_close(got, expected)


def test_any_number_of_rows() -> None:
    compiled = torch.compile(lambda x: x.sort(dim=1, stable=True), backend="blockdsl", dynamic=True)
    for count in (3, 50, 1, 2):
        x = rows(torch.int32, count, 100)
        values, places = compiled(x)
        expected = x.sort(dim=1, stable=True)
        assert torch.equal(values, expected.values) and torch.equal(places, expected.indices)


def test_gradients_follow_the_permutation() -> None:
    x = torch.randperm(600).view(10, 60).double().requires_grad_()
    weights = torch.arange(60.0)
    compiled = torch.compile(lambda x: (x.sort(1).values * weights).sum(), backend="blockdsl")
    (found,) = torch.autograd.grad(compiled(x), x)
    assert torch.equal(found, weights[x.detach().argsort(1).argsort(1)].double())
