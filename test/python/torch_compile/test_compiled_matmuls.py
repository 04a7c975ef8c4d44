"""Tests of matmuls and convolutions of a graph: the selected implementation, and its values."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch._inductor import config
from torch._inductor.utils import run_and_get_code
from torch.nn import functional
from torch.testing import assert_close

from blockdsl.torch_compile import matmuls
from blockdsl.torch_compile.convolutions import PIXELS

OURS = "def triton_tem_fused"


def code_and_result(function: Callable[..., Any], *args: Any, **options: Any) -> tuple[str, Any]:
    compiled = torch.compile(function, backend="blockdsl", fullgraph=True, options=options)
    result, codes = run_and_get_code(compiled, *args)
    return "\n".join(codes), result


@pytest.fixture(params=[True, False], ids=["where ours are faster", "elsewhere"])
def faster(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(matmuls, "are_faster", lambda: request.param)
    return bool(request.param)


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "rows": lambda x: x,
    "columns": lambda x: x.t().contiguous().t(),
    "strided": lambda x: torch.stack([x, x], dim=2).flatten(1)[:, ::2],
}


@pytest.mark.parametrize("second", LAYOUTS)
@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("sizes", [(33, 515, 511), (129, 1024, 257)])
def test_matmul_with_epilogue(first: str, second: str, sizes: tuple[int, int, int], faster: bool) -> None:
    rows, columns, depth = sizes
    a, b = LAYOUTS[first](torch.randn(rows, depth)), LAYOUTS[second](torch.randn(depth, columns))
    bias = torch.randn(columns)
    code, result = code_and_result(lambda c, a, b: torch.addmm(c, a, b).relu(), bias, a, b)
    assert (OURS in code, "extern_kernels.mm(" in code) == (faster, not faster)
    # The ops that follow it are in its kernel.
    assert not faster or code.count("async_compile.triton(") == 1
    wanted = torch.addmm(bias.double(), a.double(), b.double()).relu()
    assert_close(result.double(), wanted, rtol=1e-5, atol=1e-6 * depth)


def test_matmul_prologue_is_fused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmuls, "are_faster", lambda: True)
    a, b = torch.randn(40, 512), torch.randn(512, 512)
    code, result = code_and_result(lambda a, b: (2 * a).sin() @ b - 1, a, b)
    assert OURS in code
    assert_close(result.double(), (2 * a.double()).sin() @ b.double() - 1, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((31, 512, 512), torch.float32), ((64, 64, 64), torch.float32), ((64, 512, 512), torch.bfloat16),
     ((64, 512, 512), torch.float64)],
)  # fmt: skip
def test_other_matmuls_use_torch(
    shape: tuple[int, int, int], dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matmuls, "are_faster", lambda: True)
    rows, columns, depth = shape
    a, b = torch.randn(rows, depth).to(dtype), torch.randn(depth, columns).to(dtype)
    code, result = code_and_result(lambda a, b: a @ b + 1, a, b)
    assert OURS not in code
    assert_close(result, a @ b + 1)


def test_matmul_of_gathered_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    # Sizes computed from indices are Python's numbers, not sympy's.
    monkeypatch.setattr(matmuls, "are_faster", lambda: True)
    x, i, weight = torch.randn(64, 50, 512), torch.randint(0, 50, (64,)), torch.randn(512, 512)
    code, result = code_and_result(lambda x, i, w: x[torch.arange(64), i] @ w.t(), x, i, weight)
    assert OURS in code
    assert_close(result.double(), x[torch.arange(64), i].double() @ weight.t().double(), rtol=1e-5, atol=1e-4)


def test_batched_and_dynamic_matmuls_use_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmuls, "are_faster", lambda: True)
    a, b = torch.randn(2, 64, 512), torch.randn(2, 512, 512)
    code, result = code_and_result(torch.bmm, a, b)
    assert OURS not in code
    assert_close(result, torch.bmm(a, b))
    compiled = torch.compile(lambda a, b: a @ b, backend="blockdsl", dynamic=True)
    result, (code,) = run_and_get_code(compiled, a[0], b[0])
    assert OURS not in code
    assert_close(result, a[0] @ b[0])


def test_user_setting_for_matmuls_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmuls, "are_faster", lambda: True)
    a, b = torch.randn(64, 512), torch.randn(512, 512)
    code, _ = code_and_result(torch.mm, a, b, max_autotune_gemm=False)
    assert OURS not in code


def test_backward_uses_our_matmuls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmuls, "are_faster", lambda: True)
    x, weight = torch.randn(256, 512, requires_grad=True), torch.randn(640, 512, requires_grad=True)
    _, codes = run_and_get_code(
        lambda: (
            torch.compile(functional.linear, backend="blockdsl", fullgraph=True)(x, weight).square().sum().backward()
        )
    )
    assert [OURS in code for code in codes] == [True, True]
    assert x.grad is not None
    assert weight.grad is not None
    wide = [each.detach().double().requires_grad_() for each in (x, weight)]
    functional.linear(*wide).square().sum().backward()
    for ours, wanted in zip((x.grad, weight.grad), (each.grad for each in wide), strict=True):
        assert wanted is not None
        assert_close(ours.double(), wanted, rtol=1e-4, atol=1e-5 * float(wanted.abs().max()))


@pytest.mark.parametrize("threads", [1, 2, 16, 64])
@pytest.mark.parametrize("sizes", [(32, 32, 32), (33, 4096, 4096), (128, 768, 3072), (4096, 4096, 64)])
def test_blocks_are_enough_for_all_threads(sizes: tuple[int, int, int], threads: int) -> None:
    rows, columns, depth = sizes
    block = matmuls.block(rows, columns, depth, threads)
    programs = -(-rows // block["BLOCK_M"]) * -(-columns // block["BLOCK_N"])
    assert programs >= min(threads, -(-rows // 32) * -(-columns // 32))
    assert 32 <= min(block.values())
    assert block["BLOCK_M"] * block["BLOCK_N"] <= matmuls.ROWS * matmuls.COLUMNS
    if threads == 1:
        assert programs == -(-rows // 128) * -(-columns // 128)


@pytest.mark.parametrize("plain_first", [True, False])
def test_plain_inductor_in_the_same_process_keeps_its_choices(
    plain_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread creates its choices once, unless they are set explicitly."""
    monkeypatch.setattr(matmuls, "are_faster", lambda: True)
    x = torch.randn(512, 512)

    def plain() -> str:
        return run_and_get_code(torch.compile(lambda x: (x @ x).sum(), fullgraph=True), x)[1][0]

    def ours() -> str:
        return code_and_result(lambda x: (x @ x).sum() + x.sin(), x)[0]

    with ThreadPoolExecutor(1) as fresh:
        order = (plain, ours) if plain_first else (ours, plain)
        codes = {function.__name__: fresh.submit(function).result() for function in order}
    assert OURS in codes["ours"]
    assert "'XBLOCK': 4096" in codes["ours"]
    assert "extern_kernels.mm" in codes["plain"]


BIASES = {"a row": (48,), "a column": (33, 1), "each": (33, 48), "one": (1,)}


@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (0.5, 1), (1, -2.0), (0, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("form", BIASES)
def test_a_bias_is_added_in_the_kernel_that_follows(form: str, dtype: torch.dtype, beta: float, alpha: float) -> None:
    a, b, bias = (torch.randn(shape, dtype=dtype) for shape in ((33, 20), (20, 48), BIASES[form]))
    if beta == 0:
        bias.fill_(torch.nan)

    def function(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.addmm(bias, a, b, beta=beta, alpha=alpha).view(3, 11, 48).tanh()

    code, result = code_and_result(function, bias, a, b)
    assert "extern_kernels.mm(" in code
    assert "extern_kernels.addmm(" not in code
    assert_close(result.double(), function(bias.double(), a.double(), b.double()), rtol=1e-5, atol=1e-5)


USES: dict[str, Callable[[torch.Tensor], Any]] = {
    "returned": lambda x: x,
    "returned, too": lambda x: (x, x.sin()),
    "multiplied": lambda x: x @ x.t(),
    "added up": lambda x: x.sum(0),
}


@pytest.mark.parametrize("use", USES)
def test_a_bias_stays_where_its_sum_is_used_otherwise(use: str) -> None:
    a, b, bias = torch.randn(33, 20), torch.randn(20, 48), torch.randn(48)
    code, result = code_and_result(lambda bias, a, b: USES[use](torch.addmm(bias, a, b)), bias, a, b)
    assert "extern_kernels.addmm(" in code
    assert_close(result, USES[use](torch.addmm(bias, a, b)), rtol=1e-5, atol=1e-4)


def test_a_narrow_sum_is_rounded_once() -> None:
    a, b, bias = (torch.randn(shape, dtype=torch.bfloat16) for shape in ((33, 20), (20, 48), (48,)))
    code, result = code_and_result(lambda bias, a, b: torch.addmm(bias, a, b) * 2, bias, a, b)
    assert "extern_kernels.addmm(" in code
    assert torch.equal(result, torch.addmm(bias, a, b) * 2)


IMAGES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "one by one": ((1, 16, 7, 7), (24, 16, 1, 1), {}),
    "every second pixel": ((2, 16, 14, 14), (24, 16, 1, 1), {"stride": 2}),
    "a window": ((1, 16, 7, 7), (24, 16, 3, 3), {"padding": 1}),
    "of a batch": ((2, 3, 9, 6), (5, 3, 3, 2), {"stride": (2, 1), "padding": (0, 1)}),
    "of one pixel": ((1, 8, 4, 4), (2, 8, 4, 4), {}),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
@pytest.mark.parametrize("has_bias", [False, True], ids=["", "bias"])
@pytest.mark.parametrize("name", IMAGES)
def test_convolution_of_few_pixels_is_a_matmul(name: str, has_bias: bool, last: bool, dtype: torch.dtype) -> None:
    shape, window, options = IMAGES[name]
    memory_format = torch.channels_last if last else torch.contiguous_format
    x, weight = (torch.randn(each).to(dtype).to(memory_format=memory_format) for each in (shape, window))
    bias = torch.randn(window[0]).to(dtype) if has_bias else None
    code, result = code_and_result(lambda *args: functional.conv2d(*args, **options), x, weight, bias)
    assert "convolution(" not in code
    eager = functional.conv2d(x, weight, bias, **options)
    # Shape and strides are those of eager.
    steps = [[each.stride(at) for at, size in enumerate(eager.shape) if size > 1] for each in (result, eager)]
    assert (result.shape, steps[0]) == (eager.shape, steps[1])
    wanted = functional.conv2d(*[each.double() if each is not None else None for each in (x, weight, bias)], **options)
    limit = {torch.float32: 1e-5, torch.bfloat16: 2e-2, torch.float64: 1e-12}[dtype]
    assert_close(result.double(), wanted, rtol=limit, atol=limit * float(wanted.abs().max()))


@pytest.mark.parametrize(
    ("shape", "window", "options"),
    [
        ((1, 4, 12, 11), (4, 4, 1, 1), {}),
        ((1, 4, 7, 7), (4, 2, 3, 3), {"groups": 2}),
        ((1, 4, 9, 9), (4, 4, 3, 3), {"dilation": 2}),
        ((1, 4, 20), (4, 4, 3), {}),
        ((1, 4, 4, 4, 4), (4, 4, 3, 3, 3), {}),
    ],
    ids=["many pixels", "groups", "dilated", "a line", "a volume"],
)
def test_other_convolutions_use_torch(
    shape: tuple[int, ...], window: tuple[int, ...], options: dict[str, Any], faster: bool
) -> None:
    assert PIXELS == 128
    x, weight = torch.randn(shape), torch.randn(window)
    convolve = {3: functional.conv1d, 4: functional.conv2d, 5: functional.conv3d}[len(shape)]
    code, result = code_and_result(lambda *args: convolve(*args, **options), x, weight)
    # Inductor itself makes a matmul of a convolution with one pixel, if templates are enabled.
    assert ("convolution(" in code) is not (faster and len(shape) == 4 and window[2:] == (1, 1))
    assert_close(result, convolve(x, weight, **options), rtol=1e-4, atol=1e-4)


def test_frozen_weights_are_packed_once() -> None:
    layer, x = torch.nn.Conv2d(16, 16, 3).eval(), torch.randn(1, 16, 9, 9)
    with torch.no_grad(), config.patch(freezing=True):
        code, result = code_and_result(layer, x)
        assert "_convolution_pointwise" in code
        assert_close(result, layer(x), rtol=1e-5, atol=1e-5)


def test_gradients_of_a_convolution_of_few_pixels() -> None:
    layer = torch.nn.Conv2d(8, 12, 3, padding=1)
    wide = torch.nn.Conv2d(8, 12, 3, padding=1).double()
    wide.load_state_dict(layer.state_dict())
    x = torch.randn(2, 8, 5, 5)
    torch.compile(layer, backend="blockdsl", fullgraph=True)(x).square().sum().backward()
    wide(x.double()).square().sum().backward()
    for ours, wanted in zip(layer.parameters(), wide.parameters(), strict=True):
        assert ours.grad is not None
        assert wanted.grad is not None
        assert_close(ours.grad.double(), wanted.grad, rtol=1e-4, atol=1e-4)
