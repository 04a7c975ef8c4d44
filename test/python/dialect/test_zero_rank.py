"""Tests of blocks without dimensions, which Triton's texts may contain, and of prints without operands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import blockdsl

SPLATS = """
tt.func public @kernel(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<!tt.ptr<f32>>
  %three = arith.constant dense<3> : tensor<i32>
  %fourth = tt.addptr %xs, %three : tensor<!tt.ptr<f32>>, tensor<i32>
  %v = tt.load %fourth : tensor<!tt.ptr<f32>>
  %two = arith.constant dense<2.0> : tensor<f32>
  %twice = arith.mulf %v, %two : tensor<f32>
  %block = tt.splat %twice : tensor<f32> -> tensor<8x8xf32>
  %fours = tt.splat %two : tensor<f32> -> tensor<8x8xf32>
  %isLarge = arith.cmpf ogt, %twice, %two : tensor<f32>
  %mask = tt.splat %isLarge : tensor<i1> -> tensor<8x8xi1>
  %chosen = arith.select %mask, %block, %fours : tensor<8x8xi1>, tensor<8x8xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<!tt.ptr<f32>>
  %pointers = tt.splat %outs : tensor<!tt.ptr<f32>> -> tensor<8x8x!tt.ptr<f32>>
  %line = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %at = tt.reshape %line : tensor<64xi32> -> tensor<8x8xi32>
  %places = tt.addptr %pointers, %at : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  tt.store %places, %chosen : tensor<8x8x!tt.ptr<f32>>
  tt.return
}
"""


@pytest.mark.parametrize("value", [7.5, 0.25, float("nan")])
def test_a_block_without_dimensions_is_repeated(tmp_path: Path, value: float) -> None:
    file = tmp_path / "kernel.ttir"
    file.write_text(SPLATS)
    x, out = np.array([1, 2, 3, value], np.float32), np.zeros((8, 8), np.float32)
    blockdsl.compile(str(file))[(1,)](x, out)
    assert (out == (2 * value if 2 * value > 2 else 2)).all()


PRINTS = """
tt.func public @kernel(%out: !tt.ptr<i32>) {
  tt.print "here" {hex = false, isSigned = array<i32: 0>}
  tt.print "there" {hex = true, isSigned = array<i32>}
  %one = arith.constant 1 : i32
  tt.store %out, %one : !tt.ptr<i32>
  tt.return
}
"""


def test_a_prefix_alone_is_printed_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kernel.ttir"
    file.write_text(PRINTS)
    out = np.zeros(1, np.int32)
    blockdsl.compile(str(file))[(1,)](out)
    printed = capfd.readouterr().out
    assert out[0] == 1
    assert printed.count("here") == 2  # In "there" too.
    assert printed.count("there") == 1
