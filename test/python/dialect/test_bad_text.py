"""Tests of damaged modules: the tool reports an error, or accepts them, but never crashes.

They are mutants of ``irfuzz`` with fixed numbers; ``python -m irfuzz mutants`` makes more of them.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import blockdsl
from blockdsl.errors import CompilationError, KernelSyntaxError
from blockdsl.mlir import ir
from irfuzz import mutants
from workers import Died, run_all

OPT = Path(__file__).parents[3] / "build/bin/blockdsl-opt"


@pytest.mark.parametrize("first", [0, 200, 400])
def test_mutants_survive(first: int) -> None:
    ends = list(run_all(mutants.check, range(first, first + 200), jobs=1, timeout=60))
    assert [(seed, end) for seed, end in ends if isinstance(end, Died)] == []
    # The parser refuses most mutants; if it refused all, later stages would not be tested.
    assert sum(end == "compiled" for _, end in ends) > 5


def test_tool_survives() -> None:
    for seed in range(40):
        command = [OPT, "--blockdsl-cpu"]
        text = mutants.mutant(seed)
        result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
        assert result.returncode in (0, 1), text
        assert ("error:" in result.stderr) == (result.returncode == 1), text


def test_crashed_process_is_reported() -> None:
    """The worker pool reports items that crash, hang, fail and succeed."""

    def task(item: str, say: mutants.Say) -> str:
        say(f"step {item}")
        exec(item)
        return "done"

    items = ["import os; os.abort()", "pass", "while True: pass", "assert False, 'why'", "1"]
    ends = dict(run_all(task, items, jobs=2, timeout=1))
    assert [str(ends[item]) for item in items] == [
        "SIGABRT in step import os; os.abort()", "done", "hang in step while True: pass: over 1 s",
        "AssertionError in step assert False, 'why': why", "done",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("tt.func private @f(" + "!tt.ptr<" * 5000 + "f32", ">" * 5000 + ")"),
        ("{" * 5000, ""),
        ("#a = " + "[" * 5000, ""),
    ],
)
def test_deep_nesting_is_refused(opening: str, closing: str) -> None:
    result = subprocess.run([OPT], input=opening + closing, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "error: brackets nest deeper than 1000" in result.stderr


def test_brackets_in_strings_and_comments_do_not_nest() -> None:
    text = f'tt.func private @"{"(" * 5000}"(i1) -> i1 // {"(" * 5000}\n'
    result = subprocess.run([OPT], input=text, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("text", ["array<index: 1, 0>", "array<index>", "array // Here\n < index : 1>"])
def test_arrays_of_index_are_refused(text: str) -> None:
    """MLIR 22's parser queries the width of ``index``, and crashes."""
    module = f'"an.op"() {{a = {text}}} : () -> ()\n'
    result = subprocess.run([OPT], input=module, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "error: an array attribute of 'index' is not supported; expects integers or floats" in result.stderr
    with pytest.raises(KernelSyntaxError, match="an array attribute of 'index' is not supported"):
        ir.Module.parse(module, ir.Context())


GENERIC = """#id = affine_map<(i) -> (i)>
tt.func @f(%p: !tt.ptr<f32>) {{
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %y = linalg.generic {{indexing_maps = [#id, #id], {names} = [{types}]}} ins(%x : tensor<4xf32>)
      outs(%x : tensor<4xf32>) {{
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }} -> tensor<4xf32>
  tt.return
}}
"""


@pytest.mark.parametrize("names", ["iterator_types", '"iterator_types"'])
@pytest.mark.parametrize("types", ["7", "tensor<9xf32>", '"parallel", i1', "#linalg.iterator_type<parallel>", "#id"])
def test_refuses_non_string_iterator_types(names: str, types: str) -> None:
    """The custom parser of MLIR 22 treats each of them as a string, and crashes."""
    module = GENERIC.format(names=names, types=types)
    result = subprocess.run([OPT], input=module, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "4:" in result.stderr and "error: an iterator type of 'linalg.generic' is a string" in result.stderr
    with pytest.raises(KernelSyntaxError, match=r"an iterator type of 'linalg\.generic' is a string"):
        ir.Module.parse(module, ir.Context())


def test_iterator_types_of_both_forms_are_parsed() -> None:
    module = GENERIC.format(names="iterator_types", types='"parallel"')
    for options in (["--mlir-print-op-generic"], []):
        result = subprocess.run([OPT, *options], input=module, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        module = result.stdout
    assert 'iterator_types = ["parallel"]' in module


def test_array_syntax_in_a_string_is_ignored() -> None:
    text = 'module attributes {tt.a = "array<index: 1>", tt.array, tt.index} {} // array<index: 1>\n'
    result = subprocess.run([OPT], input=text, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("use", ["", "tt.store %p, %c : tensor<64x!tt.ptr<f32>>"])
def test_a_block_is_no_parameter(use: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.ttir"
    path.write_text(f"""tt.func @kernel(%p: tensor<64x!tt.ptr<f32>>) {{
      %c = arith.constant dense<1.0> : tensor<64xf32>
      {use}
      tt.return
    }}""")
    expected = (
        "expects a kernel's arguments to be numbers, pointers and tensor descriptors, got 'tensor<64x!tt.ptr<f32>>'"
    )
    with pytest.raises(CompilationError, match=re.escape(expected)) as raised:
        blockdsl.compile(path)
    assert f"{path}:1:1" in str(raised.value)
