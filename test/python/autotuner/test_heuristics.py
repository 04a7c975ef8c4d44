"""Computed parameters, alone and stacked with autotune in both orders."""

from __future__ import annotations

from typing import Any

import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import Config


@blockdsl.jit
def fill(out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, VALUE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out_ptr + offsets, VALUE)
    else:
        tl.store(out_ptr + offsets, -VALUE, mask=offsets < n)


def grid(meta: dict[str, Any]) -> tuple[int]:
    return (blockdsl.cdiv(meta["n"], meta["BLOCK"]),)


RULES = {
    "EVEN": lambda args: args["n"] % args["BLOCK"] == 0,
    "VALUE": lambda args: 1 + args["EVEN"],
}


def test_heuristics_are_evaluated_per_launch_in_order() -> None:
    kernel = blockdsl.heuristics(RULES)(fill)
    for n, value in ((64, 2), (63, -1), (64, 2)):
        out = torch.zeros(n)
        kernel[grid](out, n, BLOCK=32)
        assert torch.equal(out, torch.full((n,), value))
    assert kernel.warmup(torch.float32, 64, BLOCK=32, grid=grid).signature.constants["EVEN"] is True
    assert kernel.base_fn is fill


def test_heuristic_overrides_the_caller() -> None:
    out = torch.zeros(64)
    blockdsl.heuristics(RULES)(fill)[grid](out, 64, BLOCK=32, VALUE=9)
    assert bool((out == 2).all())


def test_heuristics_below_autotune_get_the_config(scripted: type) -> None:
    configs = [Config({"BLOCK": 48 + 16}), Config({"BLOCK": 32})]
    kernel = blockdsl.autotune(configs, ["n"], do_bench=scripted(2.0, 1.0))(blockdsl.heuristics(RULES)(fill))
    out = torch.zeros(96)
    compiled = kernel[grid](out, 96)
    assert compiled.signature.constants["EVEN"] is True
    assert bool((out == 2).all())
    assert kernel.base_fn is fill


def test_heuristics_above_autotune_set_key_arguments(scripted: type) -> None:
    bench = scripted(2.0, 1.0)
    tuned = blockdsl.autotune([Config({"BLOCK": 16}), Config({"BLOCK": 32})], ["EVEN"], do_bench=bench)(fill)
    kernel = blockdsl.heuristics({"EVEN": lambda args: args["n"] % 32 == 0, "VALUE": lambda args: 3})(tuned)
    for n, value in ((64, 3), (96, 3), (65, -3)):
        out = torch.zeros(n)
        kernel[grid](out, n)
        assert torch.equal(out, torch.full((n,), value))
    assert bench.calls == 4
    assert kernel.base_fn is fill


def test_heuristics_reading_num_warps_make_configs_differ(scripted: type) -> None:
    rules = {"EVEN": lambda args: False, "VALUE": lambda args: args["num_warps"]}
    bench = scripted(2.0, 1.0)
    configs = [Config({"BLOCK": 32}, num_warps=warps) for warps in (4, 8)]
    kernel = blockdsl.autotune(configs, [], do_bench=bench)(blockdsl.heuristics(rules)(fill))
    out = torch.zeros(64)
    kernel[grid](out, 64)
    assert bench.calls == 2
    assert bool((out == -8).all())


def test_launches_through_foreign_decorators(scripted: type) -> None:
    class Logged:
        def __init__(self, fn: Any) -> None:
            self.fn, self.arg_names, self.launches = fn, fn.arg_names, 0

        def run(self, *args: Any, grid: object, **kwargs: Any) -> Any:
            return self[grid](*args, **kwargs)

        def __getitem__(self, grid: object) -> Any:
            self.launches += 1
            return self.fn[grid]

    logged = Logged(blockdsl.heuristics(RULES)(fill))
    bench = scripted(1.0)
    configs = [Config({"BLOCK": 32}, num_warps=warps) for warps in (4, 8)]
    kernel = blockdsl.autotune(configs, [], do_bench=bench)(logged)
    kernel[grid](torch.zeros(64), 64)
    assert (logged.launches, bench.calls) == (3, 2)
    assert kernel.base_fn is fill


def test_program_runs_under_triton_name() -> None:
    import blockdsl as triton
    import blockdsl.testing

    @triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=4)], key=["n"])
    @triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0, "VALUE": lambda args: 5})
    @triton.jit
    def nested(out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, VALUE: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + offsets, VALUE, mask=offsets < n)

    n = triton.next_power_of_2(33)
    out = torch.zeros(n)
    nested[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](out, n)
    triton.testing.assert_close(out, torch.full((n,), 5))
    assert triton.testing is blockdsl.testing


def test_heuristic_may_compute_an_option() -> None:
    seen: list[int] = []

    def warps(args: dict[str, Any]) -> int:
        seen.append(args["BLOCK"])
        return 8 if args["BLOCK"] > 16 else 4

    kernel = blockdsl.heuristics({**RULES, "num_warps": warps, "num_stages": lambda args: 1})(fill)
    out = torch.zeros(64)
    kernel[grid](out, 64, BLOCK=32)
    assert out.tolist() == [2.0] * 64
    assert seen == [32]
