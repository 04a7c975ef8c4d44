"""Triton's autotuner, heuristics, warm-ups and timing, on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import stock_kernels
import torch
import triton
import triton.language as tl
from triton import knobs

from blockdsl.triton import kernel_binary, pipeline


@triton.jit
def accumulate(x_ptr, out_ptr, n, BLOCK: tl.constexpr, LIMIT: tl.constexpr):
    tl.static_assert(BLOCK <= LIMIT, "the block is too large")
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out_ptr + at, tl.load(out_ptr + at, mask=inside) + tl.load(x_ptr + at, mask=inside), mask=inside)


def tuned(*blocks: int, **options: Any) -> Any:
    configs = [triton.Config({"BLOCK": block}, num_warps=warps) for block in blocks for warps in (1, 4)]
    return triton.autotune(configs=configs, key=["n"], **options)(accumulate)


def grid(meta: dict[str, Any]) -> tuple[int]:
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def test_tuning_resets_named_arguments() -> None:
    x, out = torch.ones(1000), torch.zeros(1000)
    tuned(128, 1024, reset_to_zero=["out_ptr"])[grid](x, out, 1000, LIMIT=4096)
    assert torch.equal(out, x)


def test_tuning_restores_named_arguments() -> None:
    x, out = torch.ones(1000), torch.full((1000,), 5.0)
    kernel = tuned(128, 1024, restore_value=["out_ptr"])
    kernel[grid](x, out, 1000, LIMIT=4096)
    assert torch.equal(out, x + 5)
    # The choice is kept.
    kernel[grid](x, out, 1000, LIMIT=4096)
    assert torch.equal(out, x + 6)
    assert len(kernel.cache) == 1


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_another_tuner_finds_the_choice_on_disk(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    timed: list[int] = []

    def bench(call: Any, quantiles: Any) -> list[float]:
        call()
        timed.append(len(timed))
        return [float(-len(timed))] * 3

    if by == "environment":
        monkeypatch.setenv("TRITON_CACHE_AUTOTUNING", "1")
    options = {"cache_results": True} if by == "argument" else {}
    for _ in range(2):
        x, out = torch.ones(1000), torch.zeros(1000)
        kernel = tuned(128, 512, 1024, do_bench=bench, reset_to_zero=["out_ptr"], **options)
        kernel[grid](x, out, 1000, LIMIT=4096)
        assert torch.equal(out, x)
        assert kernel.best_config.kwargs == {"BLOCK": 1024}
        assert len(timed) == 3
    # Choices of another machine are not used here.
    monkeypatch.setattr(pipeline, "host_identity", lambda: "another machine")
    monkeypatch.setattr(kernel_binary, "host_identity", lambda: "another machine")
    tuned(128, 512, 1024, do_bench=bench, **options)[grid](x, out, 1000, LIMIT=4096)
    assert len(timed) == 6


def test_tuning_prunes_configs_that_do_not_compile() -> None:
    x, out = torch.ones(1000), torch.zeros(1000)
    kernel = tuned(128, 4096, reset_to_zero=["out_ptr"])
    kernel[grid](x, out, 1000, LIMIT=512)
    assert kernel.best_config.kwargs["BLOCK"] == 128
    assert torch.equal(out, x)


def test_configs_with_equal_code_are_timed_once() -> None:
    timed: list[int] = []

    def bench(call: Any, quantiles: Any) -> list[float]:
        timed.append(len(timed))
        call()
        return [float(len(timed))] * 3

    def hook(args: dict[str, Any]) -> None:
        """Hook of some configurations only."""

    configs = [
        triton.Config({"BLOCK": block}, num_warps=warps, num_stages=stages, pre_hook=each)
        for block in (128, 256) for warps in (4, 8) for stages in (2, 3) for each in (None, hook)
    ]  # fmt: skip
    kernel = triton.autotune(configs=configs, key=["n"], do_bench=bench)(accumulate)
    kernel[grid](torch.ones(1000), torch.zeros(1000), 1000, LIMIT=4096)
    assert [(each.kwargs["BLOCK"], each.num_warps, each.pre_hook) for each in kernel.configs_timings] == [
        (128, 4, None), (128, 4, hook), (256, 4, None), (256, 4, hook),
    ]  # fmt: skip
    assert kernel.best_config is configs[0]


FIRST = """
import warnings
warnings.simplefilter("ignore")
import torch, triton
import stock_kernels as stock

configs = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (64, 256) for warps in (1, 4)]
tuned = triton.autotune(configs, key=["n"], use_cuda_graph=True)(stock.add)
x = torch.ones(500)
out = torch.empty_like(x)
tuned[lambda meta: (triton.cdiv(500, meta["BLOCK"]),)](x, x, out, 500)
print(len(tuned.configs_timings), out.sum().item())
"""


def test_the_first_launch_of_a_process_is_tuned_as_others_are() -> None:
    # Tuned by timing launches, each code once; no driver was selected before.
    path = os.pathsep.join([*sys.path, str(Path(stock_kernels.__file__).parent)])
    done = subprocess.run(
        [sys.executable, "-c", FIRST], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stdout.split() == ["2", "1000.0"], done.stderr


def test_configs_with_visible_num_warps_are_all_timed() -> None:
    @triton.jit
    def counting(out_ptr, n, num_warps: tl.constexpr):
        tl.store(out_ptr, num_warps)

    @triton.jit
    def named(out_ptr, n, WARPS: tl.constexpr):
        tl.store(out_ptr, WARPS)

    def bench(call: Any, quantiles: Any) -> list[float]:
        call()
        return [float(-out[0])] * 3

    out = torch.zeros(1)
    configs = [triton.Config({}, num_warps=warps) for warps in (1, 4, 8)]
    info = triton.heuristics({"WARPS": lambda args: args["num_warps"]})(named)
    for kernel in (counting, info):
        triton.autotune(configs=configs, key=["n"], do_bench=bench)(kernel)[(1,)](out, 1)
        assert out[0] == 8


def test_tuning_with_pruning_hooks_and_custom_benchmark() -> None:
    seen: list[int] = []

    def prune(configs: list[Any], named: dict[str, Any], **_: Any) -> list[Any]:
        return [config for config in configs if config.kwargs["BLOCK"] < 1024]

    def bench(call: Any, quantiles: Any) -> list[float]:
        call()
        return [float(len(seen))] * 3

    kernel = tuned(
        128, 256, 1024, prune_configs_by={"early_config_prune": prune}, do_bench=bench,
        pre_hook=lambda args, reset_only=False: seen.append(args["n"]),
    )  # fmt: skip
    out = torch.zeros(1000)
    kernel[grid](torch.ones(1000), out, 1000, LIMIT=4096)
    assert kernel.best_config.kwargs["BLOCK"] == 128
    assert set(seen) == {1000}


def test_options_of_other_devices_and_versions_are_accepted() -> None:
    options = {"waves_per_eu": 2, "num_consumer_groups": 1, "maxnreg": 128, "num_ctas": 2, "launch_pdl": True}
    out = torch.zeros(100)
    kernel = accumulate[(1,)](torch.ones(100), out, 100, BLOCK=128, LIMIT=512, num_warps=8, num_stages=5, **options)
    assert torch.equal(out, torch.ones(100))
    assert (kernel.metadata.num_warps, kernel.metadata.num_stages, kernel.metadata.num_ctas) == (8, 5, 2)


@pytest.mark.parametrize("warps", [1, 32, 64, 1024])
def test_no_launch_has_too_many_threads(warps: int) -> None:
    # Triton compares the number of warps, times their size, with the driver's limit for a kernel.
    out = torch.zeros(100)
    kernel = accumulate[(1,)](torch.ones(100), out, 100, BLOCK=128, LIMIT=512, num_warps=warps)
    assert torch.equal(out, torch.ones(100))
    assert kernel.n_max_threads > 1024 * 32


def test_stages_are_passed_to_inspection_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook of third-party tools, which may replace one of our stages."""
    texts: list[str] = []

    def inspected(*given: Any) -> Any:
        if not given:
            return "a key", "a hash"
        stages = given[1]
        first = stages["ttir"]

        def seen(source: Any, metadata: dict[str, Any]) -> Any:
            texts.append(str(first(source, metadata)))
            return texts[-1].replace("arith.addf", "arith.mulf")

        stages["ttir"] = seen
        return None

    @triton.jit
    def more(x_ptr, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(x_ptr + at, tl.load(x_ptr + at) + 3.0)

    monkeypatch.setattr(triton.knobs.runtime, "add_stages_inspection_hook", inspected)
    x = torch.full((64,), 5.0)
    more[(1,)](x, BLOCK=64)
    assert "tt.func public @more" in texts[0]
    assert torch.equal(x, torch.full((64,), 15.0))


def test_unknown_option_is_an_error() -> None:
    with pytest.raises(KeyError, match="num_wraps"):
        accumulate[(1,)](torch.ones(100), torch.ones(100), 100, BLOCK=128, LIMIT=512, num_wraps=8)


def test_fp_fusion_follows_the_launch_option() -> None:
    @triton.jit
    def fused(x_ptr, out_ptr, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at)
        tl.store(out_ptr + at, x * x - 1.0)

    x, once, twice = torch.rand(3, 1024) + 0.5
    fused[(1,)](x, once, BLOCK=1024, enable_fp_fusion=True)
    fused[(1,)](x, twice, BLOCK=1024, enable_fp_fusion=False)
    assert torch.equal(twice, x * x - 1.0)
    assert torch.equal(once, (x.double() * x - 1.0).float())
    assert not torch.equal(once, twice)


def test_timing() -> None:
    x, out = torch.ones(1000), torch.zeros(1000)
    launches = 0

    def call() -> None:
        nonlocal launches
        launches += 1
        accumulate[(1,)](x, out, 1000, BLOCK=1024, LIMIT=4096)

    low, middle, high = triton.testing.do_bench(call, warmup=1, rep=5, quantiles=[0.0, 0.5, 1.0])
    assert 0 < low <= middle <= high
    assert out[0] == launches


NAMED = ("do_bench_cudagraph", "do_bench_proton", "get_max_simd_tflops")


# Triton 3.6 has two of them.
@pytest.mark.parametrize("name", [name for name in NAMED if hasattr(triton.testing, name)])
def test_gpu_only_queries_raise(name: str) -> None:
    arguments = (torch.float32, 1000) if name.startswith("get") else (lambda: None,)
    with pytest.raises((RuntimeError, ValueError, AssertionError), match=r"CUDA|NVIDIA|backend cpu"):
        getattr(triton.testing, name)(*arguments)


def test_a_warm_up_compiles_and_does_not_run() -> None:
    out = torch.zeros(100)
    kernel = accumulate.warmup(torch.ones(100), out, 100, BLOCK=128, LIMIT=512, grid=(1,))
    assert not out.any()
    assert kernel.metadata.name == "accumulate"
    assert kernel is accumulate[(1,)](torch.ones(100), out, 100, BLOCK=128, LIMIT=512)
    assert torch.equal(out, torch.ones(100))


def test_compilation_hooks_are_called() -> None:
    @triton.jit
    def fresh(out_ptr):
        tl.store(out_ptr, 3.0)

    records: list[dict[str, Any]] = []

    def compiled(**info: Any) -> None:
        records.append(info)

    before = knobs.runtime.jit_post_compile_hook
    knobs.runtime.jit_post_compile_hook = compiled
    try:
        fresh[(1,)](torch.zeros(1))
    finally:
        knobs.runtime.jit_post_compile_hook = before
    (record,) = records
    assert record["fn"].jit_function is fresh
    again = triton.jit(fresh.fn)
    assert again.preload(record["compile"]["specialization_data"]).metadata.name == "fresh"


def test_listener_gets_the_stages() -> None:
    @triton.jit
    def listened(out_ptr):
        tl.store(out_ptr, 4.0)

    stages: list[str] = []

    def listen(*, times: Any, **_: Any) -> None:
        stages.extend(name for name, _ in times.lowering_stages)

    before = knobs.compilation.listener
    knobs.compilation.listener = listen
    try:
        listened[(1,)](torch.zeros(1))
    finally:
        knobs.compilation.listener = before
    assert stages == ["ttir", "blockdsl"]
