"""Tests of ``torch.compile(backend="blockdsl")``: eager's results, by Triton code that blockdsl runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from torch import nn
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.utils import run_and_get_code
from torch.nn import functional
from torch.testing import assert_close

from blockdsl.errors import BlockdslError
from blockdsl.torch_compile.settings import settings

Function = Callable[..., Any]


def compiled(function: Any, **options: Any) -> Any:
    return torch.compile(function, backend="blockdsl", **options)


def test_backend_is_listed() -> None:
    assert "blockdsl" in torch._dynamo.list_backends()


def test_the_code_is_tritons_with_one_configuration() -> None:
    x, y = torch.randn(2, 1000, 1000)
    result, (code,) = run_and_get_code(compiled(lambda x, y: torch.sin(x + y), fullgraph=True), x, y)
    assert_close(result, torch.sin(x + y))
    assert "async_compile.triton" in code
    assert "@triton_heuristics.fixed_config" in code
    assert "cpp_fused" not in code


CASES: dict[str, tuple[Function, Callable[[], tuple[Any, ...]]]] = {
    "softmax": (lambda x: x.softmax(1), lambda: (torch.randn(33, 1000),)),
    "softmax of long rows": (lambda x: x.softmax(1), lambda: (torch.randn(7, 5000),)),
    "sum": (lambda x: x.sum(), lambda: (torch.randn(300_000),)),
    "sums of rows": (lambda x: x.sum(1), lambda: (torch.randn(33, 3000),)),
    "sums of columns": (lambda x: x.sum(0), lambda: (torch.randn(3000, 33),)),
    "sums of few columns": (lambda x: x.sum(0), lambda: (torch.randn(100_000, 3),)),
    "sum of everything between": (lambda x: x.sum((0, 2)), lambda: (torch.randn(30, 7, 50),)),
    "variance": (lambda x: torch.var_mean(x, 0), lambda: (torch.randn(300, 20),)),
    "argmin": (lambda x: x.argmin(1), lambda: (torch.randn(30, 200),)),
    "cumsum": (lambda x: x.cumsum(1), lambda: (torch.randn(30, 200),)),
    "cumsum in several programs": (lambda x: x.cumsum(0), lambda: (torch.randn(100_000, dtype=torch.float64),)),
    "sort": (lambda x: x.sort(1), lambda: (torch.randn(20, 60),)),
    "transposed": (lambda x: x.t().contiguous() + 1, lambda: (torch.randn(300, 200),)),
    "permuted": (lambda x: x.permute(2, 0, 1).contiguous() * 2, lambda: (torch.randn(20, 30, 40),)),
    "concatenated": (lambda x, y: torch.cat([x, y], 1) * 2, lambda: (torch.randn(30, 20), torch.randn(30, 33))),
    "embedding": (lambda i, w: functional.embedding(i, w).sum(1),
                  lambda: (torch.randint(0, 50, (7, 9)), torch.randn(50, 16))),
    "scattered": (lambda x, i, y: x.index_add(0, i, y),
                  lambda: (torch.zeros(10, 5), torch.randint(0, 10, (100,)), torch.randn(100, 5))),
    "a layer norm in bfloat16": (lambda x: functional.layer_norm(x, (128,)),
                                 lambda: (torch.randn(30, 128).bfloat16(),)),
    "gelu": (functional.gelu, lambda: (torch.randn(5000),)),
    # Where the mask is false the divisor is zero, which must not trap.
    "divided where it can be": (lambda x, y: torch.where(y != 0, x // torch.where(y == 0, 1, y), -1),
                                lambda: (torch.arange(33), torch.arange(33) % 5)),
    "remainders of a length that is no power of two": (lambda x, y: (x % y, x // y),
                                                      lambda: (torch.arange(-16, 17), torch.full((33,), 5))),
    "k-means": (lambda x, c: ((x[:, None] - c[None]) ** 2).sum(2).sqrt().argmin(1),
                lambda: (torch.randn(5000, 2, dtype=torch.float64), torch.randn(4, 2, dtype=torch.float64))),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_compiled_matches_eager(name: str) -> None:
    function, arguments = CASES[name]
    given = arguments()
    assert_close(compiled(function, fullgraph=True)(*given), function(*given), rtol=2e-4, atol=2e-4)


MODELS: dict[str, Callable[[], tuple[nn.Module, torch.Tensor]]] = {
    "multilayer": lambda: (
        nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 10)), torch.randn(32, 64)),
    "convolutional": lambda: (
        nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                      nn.Linear(512, 10)), torch.randn(4, 3, 16, 16)),
    "transformer": lambda: (
        nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True), torch.randn(2, 17, 64)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_gradients(name: str) -> None:
    model, x = MODELS[name]()
    seed = None
    found: list[tuple[torch.Tensor, ...]] = []
    for run in (model, compiled(model)):
        out = run(x)
        seed = torch.randn_like(out) if seed is None else seed
        found.append((out.detach(), *torch.autograd.grad(out, list(model.parameters()), seed)))
    assert_close(found[1], found[0], rtol=1e-3, atol=1e-3)


def test_shapes_that_change() -> None:
    counters.clear()
    function = compiled(lambda x: (2 * x).relu().sum(1), dynamic=True)
    for rows, columns in ((33, 70), (1000, 7), (5, 3000)):
        x = torch.randn(rows, columns)
        assert_close(function(x), (2 * x).relu().sum(1), rtol=1e-4, atol=1e-4)
    assert counters["stats"]["unique_graphs"] == 1


def test_an_input_that_is_no_longer_aligned() -> None:
    memory = torch.randn(1001)
    function = compiled(lambda x: 2 * x)
    assert torch.equal(function(memory[:1000]), 2 * memory[:1000])
    assert torch.equal(function(memory[1:]), 2 * memory[1:])


def test_an_input_that_is_written_through_a_view() -> None:
    def grow(x: torch.Tensor) -> torch.Tensor:
        x[50:].add_(x[:50])
        return x * 2

    x, y = torch.arange(100.0), torch.arange(100.0)
    assert torch.equal(compiled(grow)(x), grow(y))
    assert torch.equal(x, y)


def test_an_index_beyond_the_end_is_an_error() -> None:
    function = compiled(lambda x, i: x[i] * 2)
    x = torch.arange(10.0)
    assert torch.equal(function(x, torch.tensor([1, -2])), torch.tensor([2.0, 16.0]))
    with pytest.raises(BlockdslError, match="index out of bounds"):
        function(x, torch.tensor([1, 10]))


def test_random_numbers_are_those_of_the_seed() -> None:
    function = compiled(lambda x: functional.dropout(x, 0.5, training=True))
    x = torch.ones(10_000)
    torch.manual_seed(7)
    first = function(x)
    torch.manual_seed(7)
    assert torch.equal(function(x), first)
    assert 0.45 < (first == 0).float().mean() < 0.55


def test_numpy_functions() -> None:
    def norms(x: np.ndarray) -> np.ndarray:
        return np.sqrt((x * x).sum(axis=1))

    x = np.random.default_rng(0).standard_normal((300, 20))
    np.testing.assert_allclose(compiled(norms)(x), norms(x))


@triton.jit
def scaled(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, factor * tl.load(x_ptr + at, mask=at < n), mask=at < n)


def launch_scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
    out = torch.zeros_like(x)
    scaled[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel(), factor, BLOCK=4)
    return out.cos()


def test_a_kernel_of_the_users() -> None:
    x = torch.randn(77)
    assert_close(compiled(launch_scaled, fullgraph=True)(x, 2.5), (2.5 * x).cos())


@pytest.mark.parametrize("mode", ["default", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune"])
def test_modes(mode: str) -> None:
    x = torch.randn(1000, requires_grad=True)
    function = compiled(lambda x: x.sin() + 1, mode=mode)
    for _ in range(3):
        assert_close(function(x), x.sin() + 1)
        (gradient,) = torch.autograd.grad(function(x).sum(), x)
        assert_close(gradient, x.cos())


def test_settings_of_the_mode_and_the_caller_win() -> None:
    ours = settings(None, None)
    assert (ours["cpu_backend"], ours["triton.autotune_pointwise"]) == ("triton", False)
    assert settings("max-autotune-no-cudagraphs", None)["max_autotune"]
    assert settings(None, {"triton.autotune_pointwise": True, "max-fusion-size": 3}) == {
        **ours, "triton.autotune_pointwise": True, "max_fusion_size": 3,
    }  # fmt: skip


def test_options() -> None:
    x = torch.randn(1000)
    _, (code,) = run_and_get_code(compiled(lambda x: x.sin(), options={"triton.unique_kernel_names": False}), x)
    assert "def triton_(" in code


def test_settings_are_restored_after_the_graph() -> None:
    compiled(torch.sin)(torch.randn(10))
    assert config.cpu_backend == "cpp"
    x = torch.randn(10)
    with config.patch("cpp_cache_precompile_headers", False):
        _, (code,) = run_and_get_code(torch.compile(lambda x: x.cos() + 1), x)
    assert "cpp_fused" in code


def test_generated_kernels_are_kept(tmp_path: Path) -> None:
    with config.patch({"trace.enabled": True, "trace.debug_dir": str(tmp_path)}):
        compiled(lambda x: x.sin() + 1)(torch.randn(10))
    (code,) = tmp_path.rglob("output_code.py")
    assert "@triton.jit" in code.read_text()
