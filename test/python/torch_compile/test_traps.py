"""Tests of assumptions and faults of Inductor's code for CPUs, one for each."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as also_tl
import triton.language as tl
from torch._dynamo.backends.common import aot_autograd
from torch._inductor import config
from torch._inductor.scheduler import ForeachKernelSchedulerNode
from torch._inductor.utils import run_and_get_code
from torch.nn.functional import conv2d
from torch.testing import assert_close
from torch.utils._triton import has_triton

import blockdsl
from blockdsl.torch_compile import inductor_configs, versions

INF, NAN = float("inf"), float("nan")


def compiled(function: Any, **options: Any) -> Any:
    return torch.compile(function, backend="blockdsl", fullgraph=True, **options)


def test_torch_reports_triton_for_cpu() -> None:
    # torch checks once, and caches the result.
    assert has_triton()


# Values: masked lanes, order in memory, NaN, ties.


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_overflowing_integer_divisions(dtype: torch.dtype) -> None:
    # Lanes beyond the end divide undefined numbers; dividing the smallest number by -1 traps on x86.
    least = torch.iinfo(dtype).min
    x, y = torch.full((33,), least, dtype=dtype), torch.full((33,), -1, dtype=dtype)
    x[1::2], y[1::2] = 7, 2
    quotient, rest = compiled(lambda x, y: (x // y, x % y))(x, y)
    assert torch.equal(quotient[1::2], torch.full((16,), 3, dtype=dtype))
    assert torch.equal(rest[1::2], torch.full((16,), 1, dtype=dtype))
    assert torch.equal(quotient[::2], torch.full((17,), least, dtype=dtype))


def test_a_row_is_read_again_after_it_was_stored() -> None:
    # Longer than a block, so that one loop stores elements that the next one of the same program loads.
    x = torch.randn(5, 6000)

    def normed(x: torch.Tensor) -> torch.Tensor:
        x.sub_(x.mean(1, keepdim=True))
        x.div_(x.square().sum(1, keepdim=True).sqrt())
        return x.softmax(1)

    here, there = x.clone(), x.clone()
    assert_close(compiled(normed)(here), normed(there), rtol=1e-4, atol=1e-5)
    assert_close(here, there, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x.amax(1), x.amin(1)), lambda x: (x.argmax(1), x.argmin(1)),
        lambda x: (torch.maximum(x, x.roll(1, 1)), torch.minimum(x, x.roll(1, 1))),
        lambda x: x.max(1), lambda x: x.isnan() | (x > 1), lambda x: x.sort(dim=1, stable=True), torch.relu,
        lambda x: x.clamp(-1, 1), lambda x: x.cumsum(1), lambda x: x.prod(1),
    ],
)  # fmt: skip
def test_nan_and_ties_are_as_in_eager(function: Callable[[torch.Tensor], Any]) -> None:
    x = torch.randint(-2, 3, (40, 37)).float()
    x[3:9, 5] = x[7:12, 30] = NAN
    x[10:20, 8], x[15:25, 9] = INF, -INF
    assert_close(compiled(function)(x), function(x), equal_nan=True)


def test_booleans_are_bytes() -> None:
    x, mask = torch.randn(1000), torch.rand(1000) > 0.5
    function = lambda x, mask: (x.masked_fill(mask, 0.0), ~mask & (x > 0), mask.sum(), mask.any())  # noqa: E731
    assert_close(compiled(function)(x, mask), function(x, mask))


# Shapes of kernels that Inductor generates.


def test_programs_that_wait_for_each_other() -> None:
    x = torch.randn(8, 20_000)
    options = {"triton.cooperative_reductions": True, "triton.force_cooperative_reductions": True}
    assert_close(compiled(lambda x: x.sum(1), options=options)(x), x.sum(1), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("is_forced", [False, True])
def test_kernels_that_are_combined(is_forced: bool) -> None:
    """Several independent kernels become one, whose programs branch on their number.

    Inductor leaves out kernels for the CPU, unless the program sets the groups.
    """

    def four(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.sin() + 1, y.exp(), z.sum(1), (x * 2).relu()

    given = torch.randn(1000), torch.randn(37, 5).double(), torch.randn(20, 300)
    before = ForeachKernelSchedulerNode.group_algorithm_for_combo_kernels
    if is_forced:
        group = lambda scheduler: scheduler._topological_sort_nodes()  # noqa: E731
        ForeachKernelSchedulerNode.set_group_algorithm_for_combo_kernels(group)
    try:
        result, (code,) = run_and_get_code(compiled(four, options={"combo_kernels": True}), *given)
    finally:
        ForeachKernelSchedulerNode.set_group_algorithm_for_combo_kernels(before)
    assert_close(result, four(*given), rtol=1e-4, atol=1e-4)
    assert ("combo_grid_meta" in code, code.count("@triton.jit") < 3) == (is_forced, is_forced)


def test_lists_of_tensors_that_one_kernel_takes() -> None:
    xs, ys = ([torch.randn(size) for size in (5, 1000, 33)] for _ in range(2))
    function = compiled(lambda xs, ys: torch._foreach_add(xs, ys, alpha=2))
    result, (code,) = run_and_get_code(function, xs, ys)
    assert_close(result, [x + 2 * y for x, y in zip(xs, ys, strict=True)])
    assert code.count("@triton.jit") == 1


def test_template_with_epilogue() -> None:
    x, y, bias = torch.randn(48, 64), torch.randn(64, 32), torch.randn(32)
    options = {"max_autotune": True, "max_autotune_gemm_backends": "TRITON"}
    result, (code,) = run_and_get_code(compiled(lambda x, y, b: (x @ y + b).relu(), options=options), x, y, bias)
    assert_close(result, (x @ y + bias).relu(), rtol=1e-4, atol=1e-4)
    assert "triton_tem_fused" in code


def test_the_template_for_convolutions_takes_no_bias() -> None:
    x, weight, bias = torch.randn(2, 8, 20, 20), torch.randn(4, 8, 3, 3), torch.randn(4)
    tuned = {"max_autotune": True}
    assert_close(compiled(conv2d, options=tuned)(x, weight, bias), conv2d(x, weight, bias), rtol=1e-4, atol=1e-4)
    torch._dynamo.reset()
    theirs = compiled(conv2d, options={**tuned, "max_autotune_conv_backends": "TRITON"})
    with pytest.raises(Exception, match=r"too many positional arguments|multiple values for argument 'stream'"):
        theirs(x, weight, bias)


def has_no_block_pointers() -> bool:
    """Returns true if only the names of block pointers are left in this Triton, as from 3.9 on."""
    return "removed" in inspect.getsource(tl.make_block_ptr)


@pytest.mark.parametrize("option", ["triton.use_block_ptr", "triton.use_tensor_descriptor"])
def test_blocks_that_inductor_describes(option: str) -> None:
    x = torch.randn(64, 128)
    function = compiled(lambda x: x.sin() + 1, options={option: True})
    if option == "triton.use_block_ptr" and has_no_block_pointers():
        # Inductor still writes them.
        with pytest.raises(Exception, match="Block pointers have been removed"):
            function(x)
    else:
        assert_close(function(x), x.sin() + 1)


OPTIONS: dict[str, Any] = {
    "triton.multi_kernel": 1, "benchmark_kernel": True, "benchmark_epilogue_fusion": True, "triton.cudagraphs": True,
    "graph_partition": True, "deterministic": True, "coordinate_descent_tuning": True, "triton.tile_reductions": True,
    "triton.persistent_reductions": False, "benchmark_combo_kernel": True, "triton.autotune_at_compile_time": True,
    "max_autotune_pointwise": True, "nan_asserts": True, "freezing": True,
}  # fmt: skip


@pytest.mark.parametrize("option", OPTIONS)
def test_settings_of_inductors(option: str) -> None:
    function = lambda x: (x.softmax(0), (x.sin() + 1).sum(1))  # noqa: E731
    x = torch.randn(100, 130)
    options = {option: OPTIONS[option], "combo_kernels": "combo" in option}
    assert_close(compiled(function, options=options)(x), function(x), rtol=1e-4, atol=1e-4)


def test_calls_from_cplusplus_are_refused() -> None:
    said = "torch calls Triton's kernels for CPUs from C++ in packages of AOTInductor only\n  hint: leave out cpp_"
    if versions.IS_BEFORE_2_13:
        said = f"torch {torch.__version__} does not call Triton's kernels for CPUs from C++\n  hint: take torch 2.13"
    with pytest.raises(Exception, match=f"TargetError: {re.escape(said)}"):
        compiled(torch.sin, options={"cpp_wrapper": True})(torch.randn(100))


def test_torch_without_packages_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "IS_BEFORE_2_13", True)
    exported = torch.export.export(torch.nn.Softmax(1), (torch.randn(8, 16),))
    with pytest.raises(Exception, match=r"take torch 2\.13 or later, or .* of packages, inductor_configs\(\)"):
        torch._inductor.aoti_compile_and_package(exported, inductor_configs=inductor_configs())


def test_a_kernel_for_the_cpu_is_launched_on_no_stream() -> None:
    # Inductor's module has one name for all functions that return streams, so the last one would serve all devices.
    _, (code,) = run_and_get_code(compiled(lambda x: x.sin() + 1), torch.randn(100))
    assert "raw_streamNone = 0" in code or "stream=0" in code
    assert "= get_raw_stream(" not in code


# Kernels of stock Triton within graphs.


@triton.jit
def added(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + at, mask=at < n), tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + y, mask=at < n)


tuned = triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 256})], key=["n"])(added)


def stock(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    added[(triton.cdiv(x.numel(), 64),)](x, y, out, x.numel(), BLOCK=64)
    tuned[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](out, y, out, x.numel())
    return 2 * out


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "blockdsl", "inductor"])
def test_kernels_of_stock_triton(backend: str) -> None:
    x, y = torch.randn(2, 500)
    with config.patch("cpp_cache_precompile_headers", False), blockdsl.triton.activate():
        # The tuner runs it in place more than once, with and without a graph.
        out = torch.compile(stock, backend=backend, fullgraph=True)(x, torch.zeros(500))
        assert_close(out, 2 * x)
        one = lambda x, y: added[(8,)](x, y, x, 500, BLOCK=64)  # noqa: E731
        torch.compile(one, backend=backend, fullgraph=True)(x, y)
    assert_close(2 * x, out + 2 * y)


def test_a_result_of_a_launch_needs_no_gradient() -> None:
    x = torch.randn(500, requires_grad=True)
    assert not compiled(stock)(x, torch.zeros(500)).requires_grad


@triton.jit
def added_if_there(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    if y_ptr is not None:
        x += tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x, mask=at < n)


KERNELS = {"first": added_if_there, "second": added_if_there}


@pytest.mark.parametrize("backend", ["aot_eager", "blockdsl"])
def test_arguments_that_are_none_and_kernels_from_a_table(backend: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        for name, y in (("first", None), ("second", x)):
            out = torch.empty_like(x)
            KERNELS[name][(2,)](x, y, out, x.numel(), BLOCK=64)
            x = out + 1
        return x

    x = torch.randn(100)
    # The second kernel reads its argument before the first one has changed it.
    assert_close(torch.compile(function, backend=backend, fullgraph=True)(x), 2 * x + 2)


@triton.jit
def counted(x_ptr, seen_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)
    tl.atomic_add(seen_ptr, 1)


def test_torch_detects_mutated_arguments() -> None:
    # torch calls the back end of the active driver; if that fails, all tensors count as written, and are copied before.
    graphs: list[torch.fx.GraphModule] = []

    def keep(graph: torch.fx.GraphModule, inputs: list[Any]) -> torch.fx.GraphModule:
        graphs.append(graph)
        return graph

    def function(x: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        counted[(2,)](x, seen, out, x.numel(), BLOCK=64)
        return out

    x, seen = torch.randn(100), torch.zeros((), dtype=torch.int32)
    with blockdsl.triton.activate():
        compiled = torch.compile(function, backend=aot_autograd(fw_compiler=keep), fullgraph=True)
        assert_close((compiled(x, seen), seen), (2 * x, torch.tensor(2, dtype=torch.int32)))
    (launch,) = [node for node in graphs[0].graph.nodes if "triton_kernel" in str(node.target)]
    assert launch.kwargs["tensors_to_clone"] == ["seen_ptr", "out_ptr"]


@triton.jit
def twice_in_other_words(x_ptr, n, BLOCK: also_tl.constexpr):
    at = also_tl.arange(0, BLOCK)
    also_tl.store(x_ptr + at, 2 * also_tl.load(x_ptr + at, mask=at < n), mask=at < n)


def test_the_language_has_one_name_in_a_graph() -> None:
    x = torch.ones(5)
    with blockdsl.triton.activate():
        twice_in_other_words[(1,)](x, 5, BLOCK=8)
    assert torch.equal(x, torch.full((5,), 2.0))
    with pytest.raises(Exception, match="NameError: name 'also_tl' is not defined"):
        compiled(lambda x: twice_in_other_words[(1,)](x, 5, BLOCK=8))(x)


@triton.jit
def powers(x_ptr, out_ptr, n):
    for i in range(n - 1):
        tl.store(out_ptr + i + 1, 2 * tl.load(x_ptr + i))


def test_tensor_passed_twice_is_two_arguments() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        powers[(1,)](y, y, 4)
        return y

    with blockdsl.triton.activate():
        assert function(torch.ones(4)).tolist() == [1, 2, 4, 8]
        # The stored values are not the loaded ones. test_recorded_launches.py launches a kernel of ours in the same
        # way.
        assert compiled(function)(torch.ones(4)).tolist() == [1, 2, 2, 2]


# Indices.


def test_offsets_beyond_32_bits() -> None:
    # The system does not allocate memory that is never accessed.
    x = torch.zeros(2**31 + 64, dtype=torch.int8)
    x[-64:] = torch.arange(64, dtype=torch.int8)
    assert torch.equal(compiled(lambda x: x[-64:] * 2)(x), x[-64:] * 2)


@triton.jit
def copied(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8, torch.int64, torch.bfloat16])
def test_lanes_that_are_not_loaded_are_zero(dtype: torch.dtype) -> None:
    # Triton does not define them; CUDA gives zeros, and programs rely on it.
    x, out = torch.full((64,), 7, dtype=dtype), torch.full((64,), 5, dtype=dtype)
    copied[(1,)](x, out, 21, BLOCK=64)
    assert torch.equal(out, torch.where(torch.arange(64) < 21, x, 0))
