"""Tests of additions to memory in compiled graphs, which need no lock, and of running products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.utils import run_and_get_code

from blockdsl.compiler.options import Options
from blockdsl.torch_compile import atomics
from blockdsl.triton.kernel_launcher import KernelLauncher

F = torch.nn.functional


def compiled(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    torch._dynamo.reset()
    return torch.compile(function, backend="blockdsl", fullgraph=True, **named)(*args)


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    """Returns the options of the kernels that are prepared for launches."""
    found: list[Options] = []
    make = KernelLauncher.__init__

    def init(self: KernelLauncher, kernel: Any) -> None:
        found.append(kernel.options)
        make(self, kernel)

    monkeypatch.setattr(KernelLauncher, "__init__", init)
    return found


def numbers(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Returns numbers whose sums are exact in any order."""
    return torch.randint(-4, 5, shape).to(dtype)


@pytest.mark.parametrize("columns", [1, 3, 16, 60, 64])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.int64])
def test_rows_are_added_up(dtype: torch.dtype, columns: int, launched: list[Options]) -> None:
    rows, values = torch.randint(0, 50, (1000,)), numbers(dtype, 1000, columns)

    def add(rows: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return torch.zeros(50, columns, dtype=dtype).index_add(0, rows, values)

    assert torch.equal(compiled(add, rows, values), add(rows, values))
    # Sums of int64 are calls of torch.
    assert dtype == torch.int64 or any(options.sequential for options in launched)


NARROW_ADDITIONS: dict[str, Callable[..., torch.Tensor]] = {
    "index_add": lambda x, at, values: x.index_add(0, at, values),
    "index_put": lambda x, at, values: x.index_put((at,), values, accumulate=True),
    "index_reduce": lambda x, at, values: x.index_reduce(0, at, values, "mean"),
    "scatter_add": lambda x, at, values: x.scatter_add(0, at[:, None].expand(-1, 5), values),
}


@pytest.mark.parametrize("add", NARROW_ADDITIONS.values(), ids=NARROW_ADDITIONS)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16])
def test_narrow_integers_are_added_up(dtype: torch.dtype, add: Callable[..., torch.Tensor]) -> None:
    """Sums wrap around; Triton has no atomic addition of these types."""
    x, at = torch.randint(0, 100, (7, 5)).to(dtype), torch.randint(0, 7, (200,))
    values = torch.randint(0, 100, (200, 5)).to(dtype)
    assert torch.equal(compiled(add, x, at, values), add(x, at, values))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_conflicting_elements_are_added_up(dtype: torch.dtype) -> None:
    """Twenty elements for each sum, so that several lanes of a vector have one address."""
    at, values = torch.randint(0, 50, (1003,)), numbers(dtype, 1003)

    def add(at: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return torch.zeros(50, dtype=dtype).index_add(0, at, values)

    assert torch.equal(compiled(add, at, values), add(at, values))


def test_an_argument_is_added_to_in_place() -> None:
    x, at, values = numbers(torch.float32, 40, 8), torch.randint(0, 40, (500,)), numbers(torch.float32, 500, 8)
    expected = x.clone().index_put_((at,), values, accumulate=True)
    compiled(lambda x: x.index_put_((at,), values, accumulate=True), x)
    assert torch.equal(x, expected)


def test_sizes_may_change() -> None:
    torch._dynamo.reset()
    add = torch.compile(lambda i, x: torch.zeros(9, 5).index_add(0, i, x), backend="blockdsl", dynamic=True)
    for count in (7, 100, 1001):
        rows, values = torch.randint(0, 9, (count,)), numbers(torch.float32, count, 5)
        assert torch.equal(add(rows, values), torch.zeros(9, 5).index_add(0, rows, values))


def test_the_gradient_of_an_embedding_is_the_same_each_time() -> None:
    """On any number of threads: one thread adds up, in the order of the words."""
    weight, words = torch.randn(100, 64, requires_grad=True), torch.randint(0, 100, (5000,))
    torch._dynamo.reset()
    embed = torch.compile(lambda weight: F.embedding(words, weight).square().sum(), backend="blockdsl")
    (first,) = torch.autograd.grad(embed(weight), weight)
    for _ in range(5):
        (again,) = torch.autograd.grad(embed(weight), weight)
        assert torch.equal(first, again)


def test_other_kernels_keep_their_locks(launched: list[Options]) -> None:
    x = torch.randn(100)
    assert torch.equal(compiled(torch.relu, x), x.relu())
    assert launched
    assert not any(options.sequential for options in launched)


def test_kernel_is_marked_as_atomic_add() -> None:
    at, values = torch.randint(0, 50, (1000,)), torch.randn(1000)
    torch._dynamo.reset()
    add = torch.compile(lambda i, x: torch.zeros(50).index_add(0, i, x), backend="blockdsl")
    _, (code,) = run_and_get_code(add, at, values)
    assert "atomics.add(" in code
    assert "tl.atomic_add(" not in code
    assert atomics.redirected("x = 1\n") == "x = 1\n"


@pytest.mark.parametrize("length", [5, 64, 1000])
@pytest.mark.parametrize("dim", [0, 1])
def test_products_of_the_middle_may_overflow(length: int, dim: int) -> None:
    """Products of two of the four numbers overflow f32; all prefixes are between 1e-29 and 1e10."""
    x = torch.tensor([1e-30, 1e-9, 1e25, 1e14]).repeat(3, length // 4 + 1)[:, :length].contiguous()
    x[:, 0] *= 1e10
    x = x if dim == 1 else x.t().contiguous()
    found, expected = compiled(lambda x: x.cumprod(dim), x), x.double().cumprod(dim)
    torch.testing.assert_close(found.double(), expected, rtol=1e-3, atol=0)
