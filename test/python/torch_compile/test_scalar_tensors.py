"""Tensors without dimensions as inputs of graphs, and of their backward passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch._inductor.utils import run_and_get_code

FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "norm": lambda x: torch.linalg.vector_norm(x, 2),
    "i0e": torch.special.i0e,
    "product": lambda x: x.sin() * x.cos(),
}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_of_a_tensor_without_dimensions(name: str, dtype: torch.dtype) -> None:
    function, x = FUNCTIONS[name], torch.tensor(1.25, dtype=dtype, requires_grad=True)
    result = torch.compile(function, backend="blockdsl", fullgraph=True)(x)
    (found,) = torch.autograd.grad(result, x, torch.tensor(0.5, dtype=dtype))
    exact = x.detach().double().requires_grad_()
    (wanted,) = torch.autograd.grad(function(exact), exact, torch.tensor(0.5, dtype=torch.float64))
    torch.testing.assert_close((result.detach(), found), (function(exact).detach().to(dtype), wanted.to(dtype)))


def test_scalar_tensors_are_read_by_the_kernel() -> None:
    compiled = torch.compile(lambda x, scale: x * scale, backend="blockdsl", fullgraph=True)
    x, scale = torch.randn(10), torch.tensor(3.0, dtype=torch.float64)
    result, (code,) = run_and_get_code(compiled, x, scale)
    torch.testing.assert_close(result, x * 3)
    assert ".item()" not in code
    torch.testing.assert_close(compiled(x, scale + 1), x * 4)


def test_settings_of_plain_inductor_remain() -> None:
    torch.compile(lambda x: x + 1, backend="blockdsl")(torch.zeros(()))
    x = torch.tensor(2.0)
    torch.testing.assert_close(torch.compile(lambda x: x * x, backend="inductor")(x), torch.tensor(4.0))
