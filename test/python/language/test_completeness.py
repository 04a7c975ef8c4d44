"""Test that every op of the language has an emit rule, a reference, a docstring, and an example."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

import pytest

import blockdsl.language as tl
from blockdsl.language.constexpr import ConstexprFunction
from blockdsl.language.op import LIBRARY, METHODS, OPS
from blockdsl.mlir import ir  # noqa: F401 - the extension must load for these tests to mean anything

PUBLIC: dict[str, Any] = {**OPS, **{name: function for name, function in LIBRARY.items() if name[0] != "_"}}


@pytest.mark.parametrize("name", OPS)
def test_op_has_compiled_and_interpreted_implementation(name: str) -> None:
    assert OPS[name].emit_rule is not None
    assert OPS[name].reference_rule is not None


@pytest.mark.parametrize("name", PUBLIC)
def test_manual_has_a_summary_and_an_example_that_parses(name: str) -> None:
    manual = inspect.getdoc(PUBLIC[name]) or ""
    summary, _, rest = manual.partition("\n")
    assert summary.endswith((".", "?")), f"{name}: {summary!r}"
    assert "Example:" in rest
    ast.parse(textwrap.dedent(rest.split("Example:\n")[1]))


@pytest.mark.parametrize("name", [name for name in PUBLIC if len(inspect.signature(PUBLIC[name]).parameters) > 3])
def test_manual_names_the_arguments(name: str) -> None:
    manual = inspect.getdoc(PUBLIC[name]) or ""
    missing = [parameter for parameter in inspect.signature(PUBLIC[name]).parameters if f"{parameter}:" not in manual]
    assert not missing or "The arguments are those of" in manual or name == "reduce_with_indices"


def test_required_names_exist() -> None:
    names = """
        program_id num_programs arange full zeros zeros_like cast broadcast broadcast_to expand_dims permute
        trans reshape view ravel join split interleave cat flip where load store abs ceil cos div_rn erf exp
        exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi sigmoid softmax cdiv clamp maximum minimum
        sum max min argmax argmin xor_sum reduce associative_scan cumsum cumprod dot gather histogram range
        static_range static_assert static_print device_assert device_print multiple_of max_contiguous
        max_constancy assume debug_barrier swizzle2d squeeze unsqueeze constexpr constexpr_function tensor
        dtype pointer_type block_type PropagateNan extra const make_tensor_descriptor load_tensor_descriptor
        store_tensor_descriptor
    """.split()
    assert [name for name in names if not hasattr(tl, name)] == []


def test_methods_are_ops_or_library_functions() -> None:
    assert all(method in (*OPS.values(), *LIBRARY.values()) for method in METHODS.values())
    assert {"to", "sum", "max", "reshape", "trans", "exp"} <= set(METHODS)


def test_compile_time_functions_run_on_the_host() -> None:
    assert isinstance(tl.next_power_of_2, ConstexprFunction)
    assert tl.next_power_of_2(100) == 128
    assert tl.next_power_of_2(tl.constexpr(64)) == 64
