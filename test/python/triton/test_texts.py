"""Tests of Triton's text in place of a function: ``triton.compile`` of a file, and ``ir_override``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import stock_kernels as stock
import torch
import triton

from blockdsl.errors import KernelAssertionError, TargetError
from blockdsl.triton import kernel_binary

ASSERTING = """\
module {
  tt.func public @positive(%x: !tt.ptr<f32>) {
    %zero = arith.constant 0.0 : f32
    %value = tt.load %x : !tt.ptr<f32>
    %holds = arith.cmpf ogt, %value, %zero : f32
    tt.assert %holds, "positive" : i1
    tt.return
  }
}
"""


def text() -> str:
    kernel = stock.add.warmup(torch.float32, torch.float32, torch.float32, 500, BLOCK=512, grid=(1,))
    return str(kernel.asm["ttir"])


def test_a_file_is_compiled_and_launched(tmp_path: Path) -> None:
    path = tmp_path / "subtract.ttir"
    path.write_text(text().replace("arith.addf", "arith.subf"))
    kernel = triton.compile(str(path))
    assert (kernel.metadata.name, kernel.metadata.shared) == ("add", 1)
    x, y, out = torch.randn(3, 500)
    kernel[(1, 1, 1)](x, y, out, 500)
    assert torch.equal(out, x - y)


def test_a_failed_assertion_points_at_its_line_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "positive.ttir"
    path.write_text(ASSERTING)
    kernel = triton.compile(str(path))
    kernel[(1, 1, 1)](torch.ones(1))
    with pytest.raises(KernelAssertionError, match="positive failed") as caught:
        kernel[(1, 1, 1)](torch.zeros(1))
    assert caught.value.location is not None
    assert (caught.value.location.file, caught.value.location.line) == (str(path), 6)
    assert "tt.assert %holds" in str(caught.value)


def test_text_passed_by_a_launch(tmp_path: Path) -> None:
    path = tmp_path / "subtract.ttir"
    path.write_text(text().replace("arith.addf", "arith.subf"))
    x, y, out = torch.randn(3, 500)
    stock.add[(1,)](x, y, out, 500, BLOCK=512, ir_override=str(path))
    assert torch.equal(out, x - y)
    stock.add[(1,)](x, y, out, 500, BLOCK=512)
    assert torch.equal(out, x + y)


def test_text_passed_by_a_config(tmp_path: Path) -> None:
    path = tmp_path / "subtract.ttir"
    path.write_text(text().replace("arith.addf", "arith.subf"))
    configs = [triton.Config({"BLOCK": 512}, ir_override=str(path))]
    x, y, out = torch.randn(3, 500)
    triton.autotune(configs, key=["n"])(stock.add)[(1,)](x, y, out, 500)
    assert torch.equal(out, x - y)


def test_only_text_of_files_is_verified_after_each_pass(tmp_path: Path) -> None:
    def is_from_frontend(kernel: Any) -> bool:
        _, program, _ = kernel_binary.opened(kernel.asm["blockdsl"])
        return program.is_from_frontend

    path = tmp_path / "add.ttir"
    path.write_text(text())
    types = (torch.float32,) * 3
    assert is_from_frontend(stock.add.warmup(*types, 500, BLOCK=256, grid=(1,)))
    assert not is_from_frontend(triton.compile(str(path)))
    assert not is_from_frontend(stock.add.warmup(*types, 500, BLOCK=256, grid=(1,), ir_override=str(path)))


def test_a_file_of_a_stage_for_gpus(tmp_path: Path) -> None:
    path = tmp_path / "add.ttgir"
    path.write_text(text().replace("module {", 'module attributes {"ttg.num-warps" = 4 : i32} {'))
    message = "a kernel for a CPU has no stage of the file's name (ttgir, ptx, cubin)"
    with pytest.raises(TargetError, match=re.escape(message)):
        triton.compile(str(path))
