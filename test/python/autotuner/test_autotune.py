"""Tests of the autotuner: choice, repeated choice, and arguments after a search."""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import Config
from blockdsl.errors import OutOfResourcesError


def blocks(*sizes: int, **options: Any) -> list[Config]:
    return [Config({"BLOCK": size}, **options) for size in sizes]


@blockdsl.jit
def add_to(out_ptr, x_ptr, n, BLOCK: tl.constexpr, SCALE: tl.constexpr = 1):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    old = tl.load(out_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, old + SCALE * tl.load(x_ptr + offsets, mask=inside), mask=inside)


@blockdsl.jit
def at_most_64(out_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= 64, "too large")
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets, mask=offsets < n)


@blockdsl.jit
def busy(out_ptr, ROUNDS: tl.constexpr):
    acc = tl.zeros([64], tl.float32)
    for _ in range(ROUNDS):
        acc = tl.sin(acc + 1.0)
    tl.store(out_ptr + tl.arange(0, 64), acc)


def grid(meta: dict[str, Any]) -> tuple[int]:
    return (blockdsl.cdiv(meta["n"], meta["BLOCK"]),)


def tensors(n: int = 100, dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.zeros(n, dtype=dtype), torch.arange(n).to(dtype)


def test_chooses_fastest_config_and_passes_it_to_grid(scripted: type) -> None:
    seen = []

    def noted(meta: dict[str, Any]) -> tuple[int]:
        seen.append(meta["BLOCK"])
        return grid(meta)

    bench = scripted(3.0, 1.0, 2.0)
    kernel = blockdsl.autotune(blocks(16, 32, 64), ["n"], restore_value=["out_ptr"], do_bench=bench)(add_to)
    out, x = tensors()
    compiled = kernel[noted](out, x, 100)
    assert seen == [16, 32, 64, 32]
    assert kernel.best_config is kernel.configs[1]
    assert isinstance(compiled, blockdsl.CompiledKernel)
    assert compiled.signature.constants["BLOCK"] == 32
    assert torch.equal(out, x)


def test_timing_distinguishes_fast_from_slow() -> None:
    configs = [Config({"ROUNDS": rounds}) for rounds in (2000, 1, 1000)]
    kernel = blockdsl.autotune(configs, [], warmup=1, rep=5)(busy)
    kernel[(4,)](torch.empty(64))
    assert kernel.best_config is kernel.configs[1]
    assert kernel.configs_timings[configs[2]][0] > 4 * kernel.configs_timings[configs[1]][0]
    assert kernel.bench_time > 0


def test_key_has_values_element_types_and_device(scripted: type) -> None:
    bench = scripted(1.0, 2.0)
    kernel = blockdsl.autotune(blocks(16, 32), key=["n"], do_bench=bench)(add_to)

    def searches(launch: Callable[[], object]) -> int:
        before = bench.calls
        launch()
        return (bench.calls - before) // 2

    out, x = tensors()
    assert searches(lambda: kernel[grid](out, x, 100)) == 1
    assert searches(lambda: kernel[grid](x_ptr=x, n=100, out_ptr=out)) == 0
    assert searches(lambda: kernel[grid](*tensors(), 100, SCALE=7)) == 0
    assert searches(lambda: kernel[grid](out, x, 99)) == 1
    assert searches(lambda: kernel[grid](out, x.double(), 100)) == 1
    assert searches(lambda: kernel[grid](out.numpy(), x.numpy(), 100)) == 1
    assert next(iter(kernel.cache)) == (100, torch.float32, torch.float32, "cpu")
    kernel.cache.clear()
    assert searches(lambda: kernel[grid](out, x, 100)) == 1


def test_a_tensor_or_a_list_can_be_a_key(scripted: type) -> None:
    bench = scripted(1.0, 2.0)
    kernel = blockdsl.autotune(blocks(16, 32), key=["x_ptr"], do_bench=bench)(add_to)
    for _ in range(2):
        kernel[grid](*tensors(), 100)
    assert bench.calls == 2
    kernel[grid](*tensors(200), 100)
    assert bench.calls == 4


def test_argument_that_becomes_a_tensor_changes_key(scripted: type) -> None:
    @blockdsl.autotune(blocks(16, 32), key=[], do_bench=(bench := scripted(1.0, 2.0)))
    @blockdsl.jit
    def fill(out_ptr, bias_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        value = tl.zeros([BLOCK], tl.float32)
        if bias_ptr is not None:
            value += tl.load(bias_ptr + offsets, mask=offsets < n)
        tl.store(out_ptr + offsets, value, mask=offsets < n)

    out, bias = tensors()
    fill[grid](out, None, 100)
    fill[grid](out, bias, 100)
    assert bench.calls == 4
    assert torch.equal(out, bias)


def test_configs_differing_in_warps_are_timed_once_on_cpu(scripted: type) -> None:
    bench = scripted(1.0)
    configs = [*blocks(16, 32, num_warps=4), *blocks(16, 32, num_warps=8, num_stages=5, maxnreg=64), *blocks(16)]
    kernel = blockdsl.autotune(configs, [], do_bench=bench)(add_to)
    kernel[grid](*tensors(), 100)
    assert bench.calls == 2


def test_options_of_other_vendors_are_ignored(scripted: type) -> None:
    bench = scripted(1.0)
    others: list[dict[str, Any]] = [{"waves_per_eu": 2, "matrix_instr_nonkdim": 16}, {"kpack": 2}, {}]
    kernel = blockdsl.autotune([Config({"BLOCK": 16, **each}) for each in others], [], do_bench=bench)(add_to)
    kernel[grid](*tensors(), 100)
    assert bench.calls == 1


def test_configs_with_own_hooks_are_timed_separately(scripted: type) -> None:
    bench = scripted(1.0)
    kernel = blockdsl.autotune([*blocks(16), *blocks(16, pre_hook=lambda args: None)], [], do_bench=bench)(add_to)
    kernel[grid](*tensors(), 100)
    assert bench.calls == 2


def test_configs_differing_in_fp_fusion_are_timed_separately(scripted: type) -> None:
    bench = scripted(2.0, 1.0)
    configs = [Config({"BLOCK": 16, "enable_fp_fusion": fusion}) for fusion in (True, False)]
    kernel = blockdsl.autotune(configs, [], do_bench=bench)(add_to)
    assert not kernel[grid](*tensors(), 100).options.fp_fusion
    assert bench.calls == 2


@pytest.mark.parametrize("kind", ["torch", "numpy"])
@pytest.mark.parametrize("protected", [{"reset_to_zero": ["out_ptr"]}, {"restore_value": ["out_ptr"]}])
def test_tensors_updated_in_place_survive_a_search(kind: str, protected: dict[str, list[str]]) -> None:
    kernel = blockdsl.autotune(blocks(16, 32, 64), ["n"], warmup=1, rep=1, **protected)(add_to)
    out, x = tensors()
    if "restore_value" in protected:
        out += 5
    expected = out + x
    given = (out, x) if kind == "torch" else (out.numpy(), x.numpy())
    kernel[grid](*given, 100)
    assert torch.equal(out, expected)
    kernel[grid](*given, 100)
    assert torch.equal(out, expected + x)


def test_a_tensor_that_needs_a_gradient_can_be_protected(scripted: type) -> None:
    out, x = tensors()
    out = (out + 5).requires_grad_()
    kernel = blockdsl.autotune(blocks(16, 32), [], restore_value=["out_ptr"], do_bench=scripted(1.0))(add_to)
    kernel[grid](out.detach(), x, 100)
    assert torch.equal(out.detach(), x + 5)


def test_hooks_run_around_every_timed_launch(scripted: type) -> None:
    calls: list[Any] = []

    def before(arguments: dict[str, Any], reset_only: bool = False) -> None:
        calls.append(("before", arguments["BLOCK"], arguments["num_warps"], reset_only))

    def after(arguments: dict[str, Any], exception: BaseException | None) -> None:
        calls.append(("after", arguments["BLOCK"], exception))

    kernel = blockdsl.autotune(blocks(16, 32), [], pre_hook=before, post_hook=after, do_bench=scripted(2.0, 1.0))(
        add_to
    )
    kernel[grid](*tensors(), 100)
    assert calls == [
        ("before", 16, 4, False), ("after", 16, None), ("before", 32, 4, False), ("after", 32, None),
        ("before", 32, 4, True),
    ]  # fmt: skip
    kernel[grid](*tensors(), 100)
    assert len(calls) == 5


def test_pre_hook_of_a_config_runs_before_every_launch(scripted: type) -> None:
    calls: list[int] = []
    configs = [Config({"BLOCK": size}, pre_hook=lambda args: calls.append(args["BLOCK"])) for size in (16, 32)]
    kernel = blockdsl.autotune(configs, [], do_bench=scripted(2.0, 1.0))(add_to)
    out, x = tensors()
    kernel[grid](out, x, 100)
    kernel[grid](out, x, n=100)
    assert calls == [16, 32, 32, 32]


def test_pruning(scripted: type) -> None:
    received = {}

    def prune(configs: list[Config], named: dict[str, Any], **kwargs: Any) -> list[Config]:
        received.update(named=named, kwargs=kwargs)
        return [config for config in configs if config.kwargs["BLOCK"] > 16]

    def model(BLOCK: int, n: int, num_warps: int, **_: Any) -> float:
        return abs(BLOCK - 100) + n + num_warps

    bench = scripted(2.0, 1.0)
    by = {"early_config_prune": prune, "perf_model": model, "top_k": 2}
    kernel = blockdsl.autotune(blocks(16, 32, 64, 128), [], prune_configs_by=by, do_bench=bench)(add_to)
    out, x = tensors()
    kernel[grid](out, x, n=100)
    assert received["named"] == {"out_ptr": out, "x_ptr": x}
    assert received["kwargs"] == {"n": 100, "grid": grid, "warmup": False}
    assert [config.kwargs["BLOCK"] for config in kernel.configs_timings] == [128, 64]
    assert kernel.best_config.kwargs == {"BLOCK": 64}
    assert [config.kwargs["BLOCK"] for config in kernel.prune_configs({"n": 100})] == [128, 64]

    by = {"perf_model": model, "top_k": 0.5}
    kernel = blockdsl.autotune(blocks(16, 32, 64, 128), [], prune_configs_by=by, do_bench=scripted(1.0))(add_to)
    kernel[grid](out, x, n=100)
    assert len(kernel.configs_timings) == 2


def never(call: Callable[[], object], quantiles: tuple[float, ...]) -> float:
    raise AssertionError("timed")


def test_single_config_is_not_timed() -> None:
    out, x = tensors()
    blockdsl.autotune(blocks(32), ["n"], do_bench=never)(add_to)[grid](out, x, 100)
    by = {"early_config_prune": lambda configs, named, **kwargs: configs[1:]}
    blockdsl.autotune(blocks(16, 32), ["n"], prune_configs_by=by, do_bench=never)(add_to)[grid](out, x, 100)
    assert torch.equal(out, 2 * x)


def test_config_that_does_not_compile_is_infinitely_slow() -> None:
    kernel = blockdsl.autotune(blocks(128, 64, 256), [], warmup=1, rep=1)(at_most_64)
    out = torch.zeros(100, dtype=torch.int32)
    kernel[grid](out, 100)
    assert torch.equal(out, torch.arange(100, dtype=torch.int32))
    assert [timing[0] for timing in kernel.configs_timings.values()] == [
        float("inf"), kernel.configs_timings[kernel.configs[1]][0], float("inf"),
    ]  # fmt: skip


@pytest.mark.parametrize("error", [MemoryError("no scratch memory"), OutOfResourcesError("no shared memory")])
def test_config_out_of_resources_is_infinitely_slow(error: Exception) -> None:
    calls = []

    def bench(call: Callable[[], object], quantiles: tuple[float, ...]) -> float:
        calls.append(call)
        if len(calls) == 1:
            raise error
        return 1.0

    kernel = blockdsl.autotune(blocks(16, 32), [], do_bench=bench)(add_to)
    kernel[grid](*tensors(), 100)
    assert kernel.best_config is kernel.configs[1]


def test_invalid_arguments_are_raised_not_timed() -> None:
    kernel = blockdsl.autotune(blocks(16, 32), [])(add_to)
    with pytest.raises(blockdsl.errors.LaunchError, match="argument 'x_ptr' of kernel 'add_to' is str 'text'"):
        kernel[grid](tensors()[0], "text", 100)
    with pytest.raises(blockdsl.errors.LaunchError, match="the grid of kernel 'add_to' has 1 to 3 sizes, got 0"):
        kernel[()](*tensors(), 100)
    assert kernel.cache == {}


def test_concurrent_launches_search_once() -> None:
    calls = []

    def bench(call: Callable[[], object], quantiles: tuple[float, ...]) -> float:
        time.sleep(0.05)
        calls.append(call)
        return 1.0

    kernel = blockdsl.autotune(blocks(16, 32), ["n"], do_bench=bench)(add_to)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: kernel[grid](*tensors(), 100), range(4)))
    assert len(calls) == 2


def test_run_and_warmup_match_triton() -> None:
    kernel = blockdsl.autotune(blocks(16, 32), ["n"], do_bench=never)(add_to)
    compiled = kernel.warmup(torch.float32, torch.float32, 100, grid=grid)
    assert [each.signature.constants["BLOCK"] for each in compiled] == [16, 32]
    assert len(kernel.run(torch.float32, torch.float32, 100, grid=grid, warmup=True)) == 2
    single = blockdsl.autotune(blocks(16), ["n"])(add_to)
    out, x = tensors()
    single.run(out, x, 100, grid=grid)
    assert torch.equal(out, x)


def test_attributes_of_an_autotuned_kernel() -> None:
    kernel = blockdsl.autotune(blocks(16, 32), key=["n"])(add_to)
    assert kernel.base_fn is kernel.fn is add_to
    assert kernel.__name__ == "add_to"
    assert kernel.arg_names == ["out_ptr", "x_ptr", "n", "BLOCK", "SCALE"]
    assert (kernel.keys, kernel.best_config, kernel.early_config_prune) == (("n",), None, None)


def test_a_configuration() -> None:
    config = Config({"BLOCK": 16}, num_warps=8, pre_hook=None)
    assert config.all_kwargs() == {"BLOCK": 16, "num_warps": 8, "num_ctas": 1, "num_stages": 3}
    assert Config({}, maxnreg=32).all_kwargs()["maxnreg"] == 32
    assert str(config) == "BLOCK=16, num_warps=8, num_ctas=1, num_stages=3"
    assert config == Config({"BLOCK": 16}, num_warps=8) != Config({"BLOCK": 16})
    assert hash(Config({"ORDER": [0, 1]})) == hash(Config({"ORDER": [0, 1]}))


def test_choice_is_printed_on_request(
    scripted: type, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BLOCKDSL_PRINT_AUTOTUNING", "1")
    kernel = blockdsl.autotune(blocks(16, 32), ["n"], do_bench=scripted(2.0, 0.5))(add_to)
    for _ in range(2):
        kernel[grid](*tensors(), 100)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "autotune: kernel 'add_to' for n=100, torch.float32, torch.float32, cpu: "
        "BLOCK=32, num_warps=4, num_ctas=1, num_stages=3 (0.5 ms; 2 configurations, 2 timed, 0 failed, "
    )


def test_interpreted_kernel_uses_first_config_after_pruning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_INTERPRET", "1")
    kernel = blockdsl.autotune(blocks(16, 32), ["n"], do_bench=never)(blockdsl.jit(add_to.fn))
    out, x = np.zeros(20, np.float32), np.arange(20, dtype=np.float32)
    kernel[grid](out, x, 20)
    assert np.array_equal(out, x)
    assert kernel.best_config is kernel.configs[0]
