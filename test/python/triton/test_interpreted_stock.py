"""Tests of Triton's own interpreter, which needs no driver, with blockdsl installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import stock_kernels as stock

PROGRAM = """
import sys, torch, triton
import stock_kernels as stock

if "active" in sys.argv:
    import blockdsl
    blockdsl.triton.activate()
torch.manual_seed(0)
x, y, out = torch.randn(3, 500)
for _ in range(3):
    out.zero_()
    stock.add[lambda meta: (triton.cdiv(500, meta["BLOCK"]),)](x, y, out, 500, BLOCK=128)
    assert torch.equal(out, x + y)
stock.double[(1,)](x, out, 500)
assert torch.equal(out, 2 * x)
out.zero_()
tuned = triton.autotune([triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=["n"])(stock.add)
tuned[lambda meta: (triton.cdiv(500, meta["BLOCK"]),)](x, y, out, 500)
assert torch.equal(out, x + y)
print(type(stock.add).__name__, "blockdsl._native" in sys.modules)
"""


@pytest.mark.parametrize("arguments", [[], ["active"]])
def test_kernels_are_interpreted(arguments: list[str]) -> None:
    path = os.pathsep.join([str(Path(stock.__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": path, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["InterpretedFunction", "False"]
