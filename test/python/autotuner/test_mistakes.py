"""Tests of every message about autotune and heuristics, whole. A location is ``here:column``, with its line below."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import Config
from blockdsl.errors import BlockdslError, TuningError

ONE = [Config({"BLOCK": 64})]
TWO = [Config({"BLOCK": 64}), Config({"BLOCK": 128})]


@blockdsl.jit
def fill(out_ptr, n, BLOCK: tl.constexpr, VALUE: tl.constexpr = 1):
    tl.static_assert(BLOCK < 32, "too large")
    tl.store(out_ptr + tl.arange(0, BLOCK), VALUE)


def plain(x): ...


def out() -> torch.Tensor:
    return torch.zeros(1024)


CASES: list[tuple[Callable[[], object], str]] = []


def says(expected: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    def register(mistake: Callable[[], object]) -> Callable[[], object]:
        CASES.append((mistake, textwrap.dedent(expected).strip("\n")))
        return mistake

    return register


@says("""
    TuningError: key of @autotune has 'N', which is no parameter of kernel 'fill'
      here:5, in unknown_key
          blockdsl.autotune(ONE, key=["N"])(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: its parameters are out_ptr, n, BLOCK, VALUE
""")
def unknown_key() -> None:
    blockdsl.autotune(ONE, key=["N"])(fill)


@says("""
    TuningError: in a configuration of @autotune, num_warps is a power of two from 1 to 32, got '4'
      here:5, in a_text_for_a_number
          blockdsl.autotune([Config({}, num_warps=text)], key=[])(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write num_warps=4, without quotes
""")
def a_text_for_a_number() -> None:
    text: Any = "4"
    blockdsl.autotune([Config({}, num_warps=text)], key=[])(fill)


@says("""
    TuningError: reset_to_zero of @autotune has 'out', which is no parameter of kernel 'fill'
      here:5, in unknown_reset
          blockdsl.autotune(ONE, [], reset_to_zero=["out"])(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: did you mean 'out_ptr'?
""")
def unknown_reset() -> None:
    blockdsl.autotune(ONE, [], reset_to_zero=["out"])(fill)


@says("""
    TuningError: restore_value of @autotune has 'outptr', which is no parameter of kernel 'fill'
      here:5, in unknown_restore
          blockdsl.autotune(ONE, [], restore_value=["outptr"])(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: did you mean 'out_ptr'?
""")
def unknown_restore() -> None:
    blockdsl.autotune(ONE, [], restore_value=["outptr"])(fill)


@says("""
    TuningError: a configuration of @autotune sets 'BLOK', which is no parameter of kernel 'decorated'
      here:6, in unknown_in_config
          @blockdsl.autotune([Config({"BLOK": 64})], [])
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: did you mean 'BLOCK'?
""")
def unknown_in_config() -> None:
    @blockdsl.autotune([Config({"BLOK": 64})], [])
    @blockdsl.jit
    def decorated(out_ptr, BLOCK: tl.constexpr): ...


@says("""
    TuningError: configs of @autotune expects blockdsl.Config, got dict {'BLOCK': 64}
      here:5, in a_dict
          blockdsl.autotune([{"BLOCK": 64}], ["n"])(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write blockdsl.Config({...}, num_warps=4)
""")
def a_dict() -> None:
    blockdsl.autotune([{"BLOCK": 64}], ["n"])(fill)


@says("""
    TuningError: key of @autotune expects a list of names, got 'n'
      here:5, in a_text
          blockdsl.autotune(ONE, key="n")(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write key=['n']
""")
def a_text() -> None:
    blockdsl.autotune(ONE, key="n")(fill)


@says("""
    TuningError: prune_configs_by of @autotune has 'topk', which is nothing to prune by
      here:5, in unknown_pruning
          blockdsl.autotune(ONE, [], {"topk": 2})(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: did you mean 'top_k'?
""")
def unknown_pruning() -> None:
    blockdsl.autotune(ONE, [], {"topk": 2})(fill)


@says("""
    TuningError: @autotune expects a kernel, got function 'plain'
      here:5, in no_kernel
          blockdsl.autotune(ONE, [])(plain)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write @blockdsl.jit between @blockdsl.autotune(...) and the def
""")
def no_kernel() -> None:
    blockdsl.autotune(ONE, [])(plain)


@says("""
    TuningError: @heuristics computes 'VALUES', which is no parameter of kernel 'fill'
      here:5, in unknown_rule
          blockdsl.heuristics({"VALUES": len})(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: did you mean 'VALUE'?
""")
def unknown_rule() -> None:
    blockdsl.heuristics({"VALUES": len})(fill)


@says("""
    TuningError: @heuristics computes 'VALUE' by a function of the arguments, got int 3
      here:5, in no_rule
          blockdsl.heuristics({"VALUE": 3})(fill)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write "VALUE": lambda args: 3
""")
def no_rule() -> None:
    blockdsl.heuristics({"VALUE": 3})(fill)


@says("""
    LaunchError: kernel 'fill' got 'BLOCK' twice: from the call, and from @autotune, which sets it
      here:5, in twice_by_keyword
          blockdsl.autotune(TWO, [])(fill)[(1,)](out(), 64, BLOCK=16)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: leave BLOCK out of the call, or out of @autotune
""")
def twice_by_keyword() -> None:
    blockdsl.autotune(TWO, [])(fill)[(1,)](out(), 64, BLOCK=16)


@says("""
    LaunchError: kernel 'fill' got 'BLOCK' twice: from the call, and from @autotune, which sets it
      here:5, in twice_by_position
          blockdsl.autotune(TWO, [])(fill)[(1,)](out(), 64, 16)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: leave BLOCK out of the call, or out of @autotune
""")
def twice_by_position() -> None:
    blockdsl.autotune(TWO, [])(fill)[(1,)](out(), 64, 16)


@says("""
    LaunchError: kernel 'fill' got 'num_warps' twice: from the call, and from @autotune, which sets it
      here:5, in twice_an_option
          blockdsl.autotune(TWO, [])(fill)[(1,)](out(), 64, num_warps=8)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: leave num_warps out of the call, or out of @autotune
""")
def twice_an_option() -> None:
    blockdsl.autotune(TWO, [])(fill)[(1,)](out(), 64, num_warps=8)


@says("""
    LaunchError: kernel 'fill' got 'VALUE' twice: from the call, and from @heuristics, which sets it
      here:5, in twice_by_a_rule
          blockdsl.heuristics({"VALUE": lambda args: 1})(fill)[(1,)](out(), 64, 16, 1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: leave VALUE out of the call, or out of @heuristics
""")
def twice_by_a_rule() -> None:
    blockdsl.heuristics({"VALUE": lambda args: 1})(fill)[(1,)](out(), 64, 16, 1)


@says("""
    TuningError: early_config_prune left none of the 2 configurations of kernel 'fill'
      here:5, in nothing_left
          blockdsl.autotune(TWO, [], {"early_config_prune": lambda *_, **__: []})(fill)[(1,)](out(), 64)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: let it keep one that works for these arguments
""")
def nothing_left() -> None:
    blockdsl.autotune(TWO, [], {"early_config_prune": lambda *_, **__: []})(fill)[(1,)](out(), 64)


@says("""
    LaunchError: kernel 'fill' is called without a grid
      here:5, in no_grid
          blockdsl.autotune(TWO, [])(fill)(out(), 64)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: launch it as fill[grid](...), such as fill[(1,)](...)
""")
def no_grid() -> None:
    blockdsl.autotune(TWO, [])(fill)(out(), 64)


@says("""
    CompileTimeAssertionError: static_assert failed: too large
      here:5, in fill
          tl.static_assert(BLOCK < 32, "too large")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      note: all 2 configurations of kernel 'fill' failed:
        BLOCK=64, num_warps=4, num_ctas=1, num_stages=3: CompileTimeAssertionError: static_assert failed: too large
        BLOCK=128, num_warps=4, num_ctas=1, num_stages=3: CompileTimeAssertionError: static_assert failed: too large
""")
def all_fail() -> None:
    blockdsl.autotune(TWO, [])(fill)[(1,)](out(), 64)


def told(mistake: Callable[[], Any]) -> str:
    try:
        mistake()
    except BlockdslError as error:
        message = f"{type(error).__name__}: {error}"
        return re.sub(rf"{re.escape(__file__)}:\d+:", "here:", message)
    return "nothing was said"


@pytest.mark.parametrize(("mistake", "expected"), CASES, ids=[case[0].__name__ for case in CASES])
def test_message(mistake: Callable[[], object], expected: str) -> None:
    assert told(mistake) == expected


def test_a_mistake_in_a_decorator_is_a_value_error_as_in_triton() -> None:
    with pytest.raises(ValueError, match="key of @autotune"):
        unknown_key()
    assert issubclass(TuningError, BlockdslError)


def test_foreign_failure_lists_all_configs(scripted: type) -> None:
    def bench(call: Callable[[], object], quantiles: object) -> float:
        raise MemoryError("no scratch")

    with pytest.raises(MemoryError, match="no scratch") as caught:
        blockdsl.autotune(TWO, [], do_bench=bench)(fill)[(1,)](out(), 64)
    (note,) = caught.value.__notes__
    assert note.splitlines()[1] == "    BLOCK=64, num_warps=4, num_ctas=1, num_stages=3: MemoryError: no scratch"
