"""Tests of ops whose values in Inductor's Triton code differ from torch's: integer types, indices as values, signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.utils import run_and_get_code

from blockdsl.torch_compile import versions


def check_equal(function: Callable[..., Any], *args: torch.Tensor, **options: Any) -> None:
    result = torch.compile(function, backend="blockdsl", fullgraph=True, **options)(*args)
    wanted = function(*args)
    assert result.dtype == wanted.dtype
    assert torch.equal(result, wanted)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_signs_of_zeros_and_nans(dtype: torch.dtype) -> None:
    x = torch.tensor([-0.0, 0.0, -1.0, 1.0, float("nan"), -float("inf")], dtype=dtype)
    check_equal(torch.signbit, torch.cat([x, x.negative()]))


INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_quotients_of_integers_have_their_type(dtype: torch.dtype) -> None:
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.max, limits.max - 1, limits.min, limits.min + 1, 100, 7, 1, 0], dtype=dtype)
    # Arithmetic on a quotient wraps.
    check_equal(lambda a: ((a + 1) // 3 * 2 - a) % 11, x)
    check_equal(lambda a, b: (a // b * 2 + a) // 3, x[:, None], torch.tensor([limits.max, 3, 100], dtype=dtype))
    check_equal(lambda a: (torch.relu(a) + limits.max) // 2, x)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int64])
def test_quotients_of_negative_integers_are_rounded_down(dtype: torch.dtype) -> None:
    a = torch.arange(-9, 10, dtype=dtype)[:, None]
    check_equal(lambda a, b: a // b, a, torch.tensor([-4, -3, -1, 1, 2, 3], dtype=dtype))


BEYOND_32_BITS: dict[str, Callable[[int], torch.Tensor]] = {
    "square": lambda n: torch.arange(n) ** 2,
    "product": lambda n: torch.arange(n) * 70000,
    "start": lambda n: torch.arange(3_000_000_000, 3_000_000_000 + n),
    "fill": lambda n: torch.full((n,), 3_000_000_000) + torch.arange(n),
    "step": lambda n: torch.arange(0, n * 10**10, 10**10),
    "rows and columns": lambda n: torch.arange(n)[:, None] * 10**7 - torch.arange(3) * 10**10,
    "quotient": lambda n: (torch.arange(n) - 5) * 10**9 // 3,
}


@pytest.mark.skipif(versions.IS_BEFORE_2_13, reason="does not tell values from offsets")
@pytest.mark.parametrize("name", BEYOND_32_BITS)
def test_indices_that_are_values_have_64_bits(name: str) -> None:
    check_equal(lambda: BEYOND_32_BITS[name](100_000))


@pytest.mark.skipif(versions.IS_BEFORE_2_13, reason="does not tell values from offsets")
def test_indices_of_unknown_size_that_are_values() -> None:
    function = lambda x: torch.arange(x.shape[0]) * 70000 + x  # noqa: E731
    check_equal(function, torch.zeros(100_000, dtype=torch.int64), dynamic=True)


def test_values_that_fit_32_bits_are_computed_so() -> None:
    function = torch.compile(lambda: torch.arange(1000) * 7, backend="blockdsl")
    result, (code,) = run_and_get_code(function)
    assert torch.equal(result, torch.arange(1000) * 7)
    assert "tl.cast(x0" not in code
