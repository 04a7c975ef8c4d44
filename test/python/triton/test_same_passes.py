"""Tests of our passes with names from the RUN lines of Triton's own tests, against Triton's.

Both versions of a pass run on the modules in ``passes``. Ours may fold more, so our canonicalization runs on both
results; then they have to be equal. Remaining differences are listed with reasons.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from triton._C.libtriton import ir, passes

import blockdsl
from module_form import Form, form_of, ops_of

OPT = Path(__file__).parents[3] / "build/bin/blockdsl-opt"
MODULES = sorted((Path(__file__).parent / "passes").glob("*.mlir"))

Add = Callable[[Any], None]

PASSES: dict[str, Add] = {
    "canonicalize": passes.common.add_canonicalizer,
    "cse": passes.common.add_cse,
    "loop-invariant-code-motion": passes.common.add_licm,
    "sccp": passes.common.add_sccp,
    "symbol-dce": passes.common.add_symbol_dce,
    "triton-combine": passes.ttir.add_combine,
    "triton-licm": passes.ttir.add_triton_licm,
    "triton-loop-aware-cse": passes.ttir.add_loop_aware_cse,
    "triton-loop-unroll": passes.ttir.add_loop_unroll,
    "triton-reorder-broadcast": passes.ttir.add_reorder_broadcast,
}

COMMUTED = "Triton's MLIR also takes the bodies of two reductions for one whose operands are commuted"
DIFFERENT = {
    ("cse", "equal_reductions"): COMMUTED,
    ("triton-loop-aware-cse", "equal_reductions"): COMMUTED,
    ("triton-combine", "reshape_counted_masked"): "the mask goes with the elements: their order matters",
    ("triton-combine", "reshape_two_reduced"): "the second block goes with the elements: their order matters",
    ("triton-licm", "invariant_unsigned"): "Triton asks with a signed comparison whether an unsigned loop has a turn",
    (
        "triton-loop-unroll",
        "unroll_unsigned",
    ): "Triton takes the turns that are left over of an unsigned loop as signed",
    ("triton-reorder-broadcast", "packed_assembly"): "one element is no group of four",
}


def opt(text: str, *flags: str) -> str:
    command = [OPT, "-", *flags]
    result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def triton_opt(path: Path, add: Add) -> str:
    context = ir.context()
    ir.load_dialects(context)
    module = ir.parse_mlir_module(str(path), context)
    module.context = context
    manager = ir.pass_manager(context)
    add(manager)
    manager.run(module, "a pass")
    return str(module.str_nodebug())


def functions_of(text: str) -> dict[str, Any]:
    clean = opt(text, "--canonicalize", "--mlir-print-op-generic")
    return {re.findall(r'sym_name = "(.*?)"', op.text)[0]: form_of(op) for op in ops_of(clean)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", PASSES)
def test_results_are_those_of_triton(name: str, path: Path) -> None:
    stock = functions_of(triton_opt(path, PASSES[name]))
    ours = functions_of(opt(path.read_text(), f"--{name}", "--tt-version=3.9"))
    assert stock.keys() == ours.keys()
    different = {function for function in ours if ours[function] != stock[function]}
    assert different == {function for each, function in DIFFERENT if each == name and function in ours}


def test_differences_occur_in_the_modules() -> None:
    functions = {name for path in MODULES for name in re.findall(r"@(\w+)\(", path.read_text())}
    assert {function for _, function in DIFFERENT} <= functions


def form_of_lines(lines: list[str]) -> Form:
    text = "tt.func @form(%p: !tt.ptr<i32>, %n: i32, %m: i32) {\n" + "\n".join(lines) + "\ntt.return\n}"
    return form_of(ops_of(opt(text, "--mlir-print-op-generic"))[0])


def test_normalized_forms_distinguish_functions() -> None:
    """Another operand, another index and another order are other forms; another name is not."""
    lines = [
        "%x = arith.subi %n, %m : i32",
        "tt.store %p, %x : !tt.ptr<i32>",
        'tt.print "m" {hex = false, isSigned = array<i32: 1>} : %m : i32',
        "scf.for %i = %n to %m step %n : i32 {",
        "%y = arith.muli %n, %m : i32",
        "tt.store %p, %y : !tt.ptr<i32>",
        "}",
    ]
    renamed = [line.replace("%x", "%other") for line in lines]
    swapped = [line.replace("subi %n, %m", "subi %m, %n") for line in lines]
    moved = [*lines[:3], lines[4], lines[3], *lines[5:]]
    turned = [lines[0], lines[2], lines[1], *lines[3:]]
    expected = form_of_lines(lines)
    assert form_of_lines(renamed) == expected
    assert expected not in [form_of_lines(swapped), form_of_lines(moved), form_of_lines(turned)]


DESCRIPTORS = {
    "load": """
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f32>, <8x16xf32>
      %x = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
    """,
    "nan": """
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] {padding = 2 : i32} : <f32>, <8x16xf32>
      %x = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
    """,
    "store": """
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f32>, <8x16xf32>
      %x = tt.load %q : tensor<8x16x!tt.ptr<f32>>
      tt.descriptor_store %d[%i, %j], %x : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
    """,
    "reduce": """
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f32>, <8x16xf32>
      %x = tt.load %q : tensor<8x16x!tt.ptr<f32>>
      tt.descriptor_reduce add, %d[%i, %j], %x : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
    """,
    "gather": """
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f32>, <1x16xf32>
      %x = tt.descriptor_gather %d[%rows, %j] : (!tt.tensordesc<1x16xf32>, tensor<8xi32>, i32) -> tensor<8x16xf32>
    """,
    "scatter": """
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f32>, <1x16xf32>
      %x = tt.load %q : tensor<8x16x!tt.ptr<f32>>
      tt.descriptor_scatter %d[%rows, %j], %x : !tt.tensordesc<1x16xf32>, tensor<8xi32>, i32, tensor<8x16xf32>
    """,
    "loop": """
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f32>, <8x16xf32>
      %zero = arith.constant dense<0.0> : tensor<8x16xf32>
      %x, %e = scf.for %t = %k0 to %k3 step %k1 iter_args(%sum = %zero, %each = %d)
          -> (tensor<8x16xf32>, !tt.tensordesc<8x16xf32>) : i32 {
        %y = tt.descriptor_load %each[%t, %j] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
        %z = arith.addf %sum, %y : tensor<8x16xf32>
        scf.yield %z, %each : tensor<8x16xf32>, !tt.tensordesc<8x16xf32>
      }
    """,
}

KERNEL = """
tt.func public @kernel(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32) {{
  %c1 = arith.constant 1 : i64
  %k0 = arith.constant 0 : i32
  %k1 = arith.constant 1 : i32
  %k3 = arith.constant 3 : i32
  %range = tt.make_range {{end = 8 : i32, start = 0 : i32}} : tensor<8xi32>
  %three = arith.constant dense<3> : tensor<8xi32>
  %rows = arith.subi %three, %range : tensor<8xi32>
  %line = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32>
  %block = tt.reshape %line : tensor<128xi32> -> tensor<8x16xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %q = tt.addptr %outs, %block : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  {}
  tt.store %q, %x : tensor<8x16x!tt.ptr<f32>>
  tt.return
}}
"""


@pytest.mark.parametrize("name", DESCRIPTORS)
@pytest.mark.parametrize("start", [(0, 0), (3, 5), (-2, -3), (10, 20), (2**31 - 1, -(2**31))])
def test_descriptors_are_lowered_as_in_triton(name: str, start: tuple[int, int], tmp_path: Path) -> None:
    """The texts differ, because ours visits loops and masks in another order; their effects on memory are equal."""
    paths = {each: tmp_path / f"{each}.ttir" for each in ("given", "theirs", "ours")}
    paths["given"].write_text(KERNEL.format(DESCRIPTORS[name]))
    paths["theirs"].write_text(triton_opt(paths["given"], passes.ttir.add_rewrite_tensor_descriptor_to_pointer))
    flag = "--triton-rewrite-tensor-descriptor-to-pointer"
    paths["ours"].write_text(opt(paths["given"].read_text(), flag, "--tt-version=3.9"))
    left = {}
    for each in ("theirs", "ours"):
        assert "tensordesc" not in paths[each].read_text()
        array, out = torch.arange(12.0 * 24).reshape(12, 24), torch.arange(128.0) / 7
        blockdsl.compile(paths[each])[(1,)](array, out, 11, 21, 24, *start)
        left[each] = array.numpy(), out.numpy()
    for stock, ours in zip(left["theirs"], left["ours"], strict=True):
        np.testing.assert_array_equal(ours, stock)


PARAMETERS = """
tt.func private @same(%d: !tt.tensordesc<8x16xf32>) -> !tt.tensordesc<8x16xf32> {
  tt.return %d : !tt.tensordesc<8x16xf32>
}
tt.func public @kernel(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %d: !tt.tensordesc<8x16xf32>,
                       %g: !tt.tensordesc<1x16xf32> {tt.nv_tma_desc = 1 : i32}, %i: i32, %j: i32) {
  %e = tt.call @same(%d) : (!tt.tensordesc<8x16xf32>) -> !tt.tensordesc<8x16xf32>
  %x = tt.descriptor_load %e[%i, %j] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
  %rows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %y = tt.descriptor_gather %g[%rows, %j] : (!tt.tensordesc<1x16xf32>, tensor<8xi32>, i32) -> tensor<8x16xf32>
  %line = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %block = tt.reshape %line : tensor<128xi32> -> tensor<8x16xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %p = tt.addptr %outs, %block : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %p, %x : tensor<8x16x!tt.ptr<f32>>
  %far = arith.constant dense<128> : tensor<8x16xi32>
  %q = tt.addptr %p, %far : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %q, %y : tensor<8x16x!tt.ptr<f32>>
  tt.descriptor_store %d[%j, %i], %y : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
  tt.return
}
"""
OTHER = """
tt.func public @other(%d: !tt.tensordesc<4xsi32> {tt.divisibility = 16 : i32}, %c: i1) -> !tt.tensordesc<4xsi32> {
  tt.return %d : !tt.tensordesc<4xsi32>
}
"""


def rewritten(text: str, folder: Path) -> dict[str, str]:
    """Returns both results for the descriptors of a module."""
    path = folder / "given.ttir"
    path.write_text(text)
    stock = triton_opt(path, passes.ttir.add_rewrite_tensor_descriptor_to_pointer)
    return {"theirs": stock, "ours": opt(text, "--triton-rewrite-tensor-descriptor-to-pointer", "--tt-version=3.9")}


def test_function_parameters_match_triton(tmp_path: Path) -> None:
    texts = rewritten(PARAMETERS + OTHER, tmp_path)
    headers = {each: re.findall(r"tt\.func .*\{$", text, re.MULTILINE) for each, text in texts.items()}
    assert len(headers["ours"]) == 3
    assert headers["ours"] == headers["theirs"]


def special_numbers() -> torch.Tensor:
    """Numbers half of TF32's last bit above and below even ones, NaN and infinities."""
    bits = torch.tensor([0x3F800000, 0x7F7FFFFF, 0x00000001, 0x7F800000], dtype=torch.int64)[:, None]
    ends = torch.tensor([0x0000, 0x0FFF, 0x1000, 0x1001, 0x2FFF, 0x3000, 0x3001, 0x1FFF] * 3)
    signs = torch.tensor([0, 1 << 31, 0])[:, None, None]
    patterns = (bits | ends) ^ signs
    return patterns.to(torch.int32).view(torch.float32).reshape(12, 24)


@pytest.mark.parametrize("start", [(0, 0), (7, 12), (-2, -3)])
@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("rounded", [False, True])
def test_parameters_pad_and_round_as_in_triton(
    rounded: bool, nan: bool, start: tuple[int, int], tmp_path: Path
) -> None:
    left = {}
    for each, text in rewritten(PARAMETERS, tmp_path).items():
        path = tmp_path / f"{each}.ttir"
        path.write_text(text)
        array, out = special_numbers(), torch.zeros(2, 128)
        described = array, 11, 21, 24, 1, nan, rounded
        blockdsl.compile(path)[(1,)](out, *described, *described, *start)
        left[each] = array.view(torch.int32), out.view(torch.int32)
    for stock, ours in zip(left["theirs"], left["ours"], strict=True):
        assert torch.equal(ours, stock)
    bits = left["ours"][1]
    numbers = bits[bits.view(torch.float32).isfinite()]
    assert bool((numbers & 0x1FFF).any()) is not rounded
