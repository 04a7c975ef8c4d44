"""Tests of kernels with ``*args`` below ``@autotune`` and ``@heuristics``: which arguments each of them receives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import Config
from blockdsl.errors import LaunchError
from blockdsl.interpreted import InterpretedFunction

CONFIGS = [Config({"BLOCK": size}) for size in (16, 32)]


def add_all(out_ptr, n, *rows, BLOCK: tl.constexpr, SCALE: tl.constexpr = 1):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for row in tl.static_range(len(rows)):
        total += tl.load(rows[row] + at, mask=at < n)
    tl.store(out_ptr + at, SCALE * total, mask=at < n)


def add_numbers(out_ptr, *numbers, BLOCK: tl.constexpr):
    total = 0
    for at in tl.static_range(len(numbers)):
        total += numbers[at]
    tl.store(out_ptr + tl.arange(0, BLOCK), total)


def zero_and_add(n, *rows, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for row in tl.static_range(len(rows)):
        tl.store(rows[row] + at, tl.load(rows[row] + at, mask=at < n) + 1, mask=at < n)


def grid(meta: dict[str, Any]) -> tuple[int]:
    return (blockdsl.cdiv(meta["n"], meta["BLOCK"]),)


@pytest.mark.parametrize("make", [blockdsl.jit, InterpretedFunction])
def test_config_sets_parameters_after_varargs(make: Callable[..., Any], scripted: type) -> None:
    kernel = blockdsl.autotune(CONFIGS, key=["n"], do_bench=scripted(2.0, 1.0))(make(add_all))
    rows = torch.randn(4, 50)
    for count in (4, 1, 0, 2):
        out = torch.full((50,), 7.0)
        kernel[grid](out, 50, *rows[:count], SCALE=2)
        torch.testing.assert_close(out, 2 * rows[:count].sum(0))
    assert len(kernel.warmup(torch.float32, 50, torch.float32, torch.float32, grid=(2,))) == 2


@pytest.mark.parametrize("make", [blockdsl.jit, InterpretedFunction])
def test_heuristic_sets_parameters_after_varargs_and_gets_tuple(make: Callable[..., Any]) -> None:
    rules = {"SCALE": lambda args: len(args["rows"]), "BLOCK": lambda args: 16 * args["SCALE"] or 16}
    kernel = blockdsl.heuristics(rules)(make(add_all))
    rows = torch.randn(4, 50)
    for count in (4, 1, 0):
        out = torch.full((50,), 7.0)
        kernel[grid](out, 50, *rows[:count])
        torch.testing.assert_close(out, count * rows[:count].sum(0))


def test_hooks_and_grids_get_varargs_as_tuple(scripted: type) -> None:
    seen: list[int] = []

    def noted(args: dict[str, Any]) -> None:
        assert set(args) >= {"out_ptr", "n", "rows", "BLOCK"}
        seen.append(len(args["rows"]))

    kernel = blockdsl.autotune([Config({"BLOCK": 16}, pre_hook=noted)], key=[])(blockdsl.jit(add_all))
    kernel[lambda meta: (len(meta["rows"]) + 2,)](torch.zeros(50), 50, *torch.randn(3, 50))
    assert seen == [3]


def test_restores_and_resets_all_varargs(scripted: type) -> None:
    for option, expected in (("restore_value", 8.0), ("reset_to_zero", 1.0)):
        decorate = blockdsl.autotune(CONFIGS, key=["n"], do_bench=scripted(2.0, 1.0), **{option: ["rows"]})
        rows = [torch.full((50,), 7.0) for _ in range(3)]
        decorate(blockdsl.jit(zero_and_add))[grid](50, *rows)
        assert all(torch.equal(row, torch.full((50,), expected)) for row in rows)


def test_varargs_are_part_of_the_key(scripted: type) -> None:
    bench = scripted(1.0, 2.0)
    kernel = blockdsl.autotune(CONFIGS, key=["numbers"], do_bench=bench)(blockdsl.jit(add_numbers))
    searches = []
    for numbers in ((3, 4), (3, 4), (3, 5), (3,), (3, 4, 5), (2.5, 4), ()):
        before, out = bench.calls, torch.zeros(32)
        kernel[(1,)](out, *numbers)
        searches.append((bench.calls - before) // 2)
        assert out[0] == sum(numbers)
    assert searches == [1, 0, 1, 1, 1, 1, 1]

    by_type = blockdsl.autotune(CONFIGS, key=[], do_bench=bench)(blockdsl.jit(add_all))
    for dtype, expected in ((torch.float32, 1), (torch.float32, 0), (torch.int32, 1)):
        before = bench.calls
        by_type[grid](torch.zeros(50), 50, torch.ones(50), torch.ones(50, dtype=dtype), SCALE=1)
        assert (bench.calls - before) // 2 == expected


def test_refuses_parameters_given_twice(scripted: type) -> None:
    kernel = blockdsl.autotune(CONFIGS, key=[], do_bench=scripted(1.0))(blockdsl.jit(add_all))
    with pytest.raises(LaunchError, match="'BLOCK' twice: from the call, and from @autotune"):
        kernel[grid](torch.zeros(50), 50, torch.zeros(50), BLOCK=16)
    with pytest.raises(LaunchError, match="'n' twice: from the call, and from @heuristics"):
        blockdsl.heuristics({"n": lambda args: 50})(blockdsl.jit(add_all))[grid](torch.zeros(50), 50, BLOCK=16)
