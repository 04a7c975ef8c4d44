"""Inductor's templates on a CPU: products of all kinds as Triton code of ours, and attention as the C++ it stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.utils import run_and_get_code
from torch.nn.attention.flex_attention import flex_attention
from torch.testing import assert_close

TEMPLATES: dict[str, Any] = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "TRITON"}
LIMITS = {torch.float32: 1e-5, torch.bfloat16: 2e-2, torch.float16: 2e-3}

PRODUCTS: dict[str, tuple[Callable[..., torch.Tensor], tuple[tuple[int, ...], ...]]] = {
    "mm": (torch.mm, ((70, 50), (50, 33))),
    "smaller than a GPU's": (torch.mm, ((3, 5), (5, 2))),
    "addmm": (lambda c, a, b: torch.addmm(c, a, b).relu(), ((33,), (70, 50), (50, 33))),
    "bmm": (torch.bmm, ((3, 40, 50), (3, 50, 20))),
    "baddbmm": (torch.baddbmm, ((3, 40, 20), (3, 40, 50), (3, 50, 20))),
    "two": (lambda a, b, c, d: a @ b + c @ d, ((70, 50), (50, 33), (70, 50), (50, 33))),
}


def code_and_result(function: Any, *args: Any, **options: Any) -> tuple[str, torch.Tensor]:
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="blockdsl", fullgraph=True, options=options)
    result, codes = run_and_get_code(compiled, *args)
    return "\n".join(codes), result


@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    function, shapes = PRODUCTS[name]
    args = [torch.randn(shape).to(dtype) for shape in shapes]
    code, result = code_and_result(function, *args, **TEMPLATES)
    assert "def triton_tem_" in code
    wanted = function(*[each.double() for each in args])
    assert_close(result.double(), wanted, rtol=LIMITS[dtype], atol=LIMITS[dtype] * float(wanted.abs().max()))


def test_products_of_bytes_are_exact() -> None:
    a, b = (torch.randint(-128, 127, shape, dtype=torch.int8) for shape in ((64, 32), (32, 40)))
    code, result = code_and_result(torch._int_mm, a, b, **TEMPLATES)
    assert "def triton_tem_" in code
    assert torch.equal(result, torch._int_mm(a, b))


def test_attention_of_ones_own() -> None:
    def function(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        attended: torch.Tensor = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + (i - j))  # type: ignore[assignment]
        # torch 2.13 has nothing element-wise follow its template.
        return attended @ v.mT

    torch.manual_seed(0)
    args = torch.randn(3, 1, 2, 64, 16).unbind()
    code, result = code_and_result(function, *args)
    assert "triton" not in code.partition("def call(")[2]
    assert_close(result.double(), function(*[each.double() for each in args]), rtol=1e-4, atol=1e-4)
