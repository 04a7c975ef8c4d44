"""Tests of descriptors that a textual module passes through calls and branches, before and after Triton's pass."""

from __future__ import annotations

import pathlib

import pytest
import torch

import blockdsl
from blockdsl.mlir import ir, passmanager

PASS = "builtin.module(triton-rewrite-tensor-descriptor-to-pointer)"
TEXT = """
module {
  tt.func private @pick(%a: !tt.tensordesc<8xf32>, %b: !tt.tensordesc<8xf32>, %c: i1) -> !tt.tensordesc<8xf32>
      attributes {noinline = true} {
    cf.cond_br %c, ^bb1(%a : !tt.tensordesc<8xf32>), ^bb2
  ^bb2:
    cf.br ^bb1(%b : !tt.tensordesc<8xf32>)
  ^bb1(%d: !tt.tensordesc<8xf32>):
    tt.return %d : !tt.tensordesc<8xf32>
  }
  tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
    %c1 = arith.constant 1 : i64
    %zero = arith.constant 0 : i32
    %p = tt.get_program_id x : i32
    %first = arith.cmpi eq, %p, %zero : i32
    %a = tt.make_tensor_descriptor %x, [%n], [%c1] : !tt.ptr<f32>, !tt.tensordesc<8xf32>
    %b = tt.make_tensor_descriptor %y, [%n], [%c1] : !tt.ptr<f32>, !tt.tensordesc<8xf32>
    %d = tt.call @pick(%a, %b, %first)
      : (!tt.tensordesc<8xf32>, !tt.tensordesc<8xf32>, i1) -> !tt.tensordesc<8xf32>
    %v = tt.descriptor_load %d[%zero] : !tt.tensordesc<8xf32> -> tensor<8xf32>
    %c8 = arith.constant 8 : i32
    %at = arith.muli %p, %c8 : i32
    %q = tt.addptr %out, %at : !tt.ptr<f32>, i32
    %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %t = tt.addptr %s, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %t, %v : tensor<8x!tt.ptr<f32>>
    tt.return
  }
}
"""


@pytest.mark.parametrize("rewritten", [False, True])
def test_a_call_and_branches_choose_among_descriptors(tmp_path: pathlib.Path, rewritten: bool) -> None:
    text = TEXT
    if rewritten:
        context = ir.Context()
        module = ir.Module.parse(text, context)
        passmanager.PassManager.parse(PASS, context).run(module.operation)
        text = str(module.operation.get_asm())
        assert "tensordesc" not in text
    path = tmp_path / "chosen.ttir"
    path.write_text(text)
    x, y = torch.randn(2, 16)
    out = torch.zeros(2, 8)
    blockdsl.compile(path)[(2,)](x, y, out, 5)
    expected = torch.zeros(2, 8)
    expected[0, :5], expected[1, :5] = x[:5], y[:5]
    assert torch.equal(out, expected)
