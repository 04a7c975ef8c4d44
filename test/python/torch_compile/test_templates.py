"""Tests of Inductor's templates on a CPU: matmuls of all kinds as Triton code, also beside C++ code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._inductor import config
from torch._inductor.utils import run_and_get_code
from torch.nn.attention.flex_attention import flex_attention
from torch.testing import assert_close

from blockdsl.torch_compile import inductor_configs

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


def test_products_of_eight_bits_have_tensors_for_scales() -> None:
    # On a CPU these are numbers in Inductor's kernels, but tensors while it times them.
    a, b = (torch.randn(32, 64).to(torch.float8_e4m3fn) for _ in range(2))
    scale = torch.tensor(0.5)
    function = lambda a, b: torch._scaled_mm(a, b.t(), scale, scale, out_dtype=torch.float32)  # noqa: E731
    code, result = code_and_result(function, a, b, **TEMPLATES)
    assert "def triton_tem_" in code
    assert_close(result, function(a, b), rtol=1e-3, atol=1e-3)


BIAS = torch.linspace(0, 1, 64).exp()


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    attended: torch.Tensor = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + BIAS[j] * (i - j))  # type: ignore[assignment]
    return (2 * attended).relu().softmax(-1)


CPP = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "CPP"}
BESIDE_OURS: dict[str, tuple[Callable[..., torch.Tensor], tuple[int, ...], dict[str, Any]]] = {
    "narrow attention": (attention, (3, 1, 2, 64, 8), {}),
    "products": (lambda x, y, z: (torch.bmm(x + 1, y) * z).sum(1), (3, 2, 32, 32), CPP),
}


@pytest.mark.parametrize("name", BESIDE_OURS)
def test_templates_in_cplusplus(name: str) -> None:
    """Ops before and after them are Triton's, and not fused: torch 2.13 fuses no op into its attention."""
    function, shape, options = BESIDE_OURS[name]
    torch.manual_seed(0)
    args = torch.randn(shape).unbind()
    with config.patch("cpp_cache_precompile_headers", False):
        code, result = code_and_result(function, *args, **options)
    assert (code.count("cpp_pybinding("), "@triton.jit" in code) == (1, True)
    assert_close(result.double(), function(*[each.double() for each in args]), rtol=1e-4, atol=1e-4)


@pytest.mark.since_torch_2_13
def test_attention_in_a_package(tmp_path: Path) -> None:
    module = torch.nn.Module()
    module.forward = attention  # type: ignore[assignment]
    args = torch.randn(3, 1, 2, 64, 16).unbind()
    exported = torch.export.export(module, args)
    with config.patch("cpp_cache_precompile_headers", False):
        path = torch._inductor.aoti_compile_and_package(
            exported, package_path=str(tmp_path / "attention.pt2"), inductor_configs=inductor_configs()
        )
    assert_close(torch._inductor.aoti_load_package(str(path))(*args), attention(*args), rtol=1e-4, atol=1e-4)
