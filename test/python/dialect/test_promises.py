"""Tests of broken promises of a text about its values: no value becomes undefined."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import blockdsl

LEAST, LARGEST = -(2**31), 2**31 - 1

KERNEL = """
tt.func public @kernel(%x: !tt.ptr<TYPE>, %out: !tt.ptr<i32>) {
  %at = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<TYPE> -> tensor<16x!tt.ptr<TYPE>>
  %xp = tt.addptr %xs, %at : tensor<16x!tt.ptr<TYPE>>, tensor<16xi32>
  %v = tt.load %xp : tensor<16x!tt.ptr<TYPE>>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %op = tt.addptr %outs, %at : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %one = arith.constant dense<1> : tensor<16xi32>
  BODY
  tt.store %op, %r : tensor<16x!tt.ptr<i32>>
  tt.return
}
"""

CASES = {
    "a sum": ("i32", "%s = arith.addi %v, %one overflow<nsw> : tensor<16xi32>\n"
              "%c = arith.cmpi sgt, %s, %v : tensor<16xi32>\n"
              "%r = arith.extui %c : tensor<16xi1> to tensor<16xi32>",
              lambda x: x != LARGEST),
    "a product": ("i32", "%two = arith.constant dense<2> : tensor<16xi32>\n"
                  "%s = arith.muli %v, %two overflow<nsw> : tensor<16xi32>\n"
                  "%r = arith.divsi %s, %two : tensor<16xi32>",
                  lambda x: np.trunc((x * 2 + 2**31) % 2**32 / 2 - 2**30)),
    "a shift": ("i32", "%four = arith.constant dense<4> : tensor<16xi32>\n"
                "%s = arith.shli %v, %four overflow<nuw, nsw> : tensor<16xi32>\n"
                "%r = arith.shrui %s, %four : tensor<16xi32>",
                lambda x: x % 2**28),
    "an exact shift": ("i32", "%s = arith.shrui %v, %one exact : tensor<16xi32>\n"
                       "%r = arith.shli %s, %one : tensor<16xi32>",
                       lambda x: x // 2 * 2),
    "no NaN": ("f32", "%c = arith.cmpf uno, %v, %v fastmath<nnan> : tensor<16xf32>\n"
               "%r = arith.extui %c : tensor<16xi1> to tensor<16xi32>",
               np.isnan),
    "no infinity": ("f32", "%most = arith.constant dense<0x7F7FFFFF> : tensor<16xf32>\n"
                    "%s = arith.addf %v, %v fastmath<nnan,ninf> : tensor<16xf32>\n"
                    "%c = arith.cmpf ogt, %s, %most fastmath<nnan,ninf> : tensor<16xf32>\n"
                    "%r = arith.extui %c : tensor<16xi1> to tensor<16xi32>",
                    lambda x: x * 2 > 3.4028235e38),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_violated_assumption(name: str, tmp_path: Path) -> None:
    element, body, expect = CASES[name]
    path = tmp_path / "kernel.ttir"
    path.write_text(KERNEL.replace("TYPE", element).replace("BODY", body))
    if element == "i32":
        x = np.array([0, 1, -1, 7, LARGEST, LARGEST - 1, LEAST, LEAST + 1, 2**30, -(2**30), 2**28, 3, -3, 5, 2**29, 9])
        values = x.astype(np.int32)
    else:
        values = np.array([0, 1, -1, np.nan, np.inf, -np.inf, 3e38, -3e38] * 2, np.float32)
    out = np.zeros(16, np.int32)
    blockdsl.compile(path)[(1,)](values, out)
    with np.errstate(over="ignore"):
        expected = expect(values.astype(np.float64 if element == "f32" else np.int64))
    assert out.tolist() == expected.astype(np.int64).tolist()
