"""Tests of Triton's text in place of a function: ``triton.compile`` of a file, and ``ir_override``."""

from __future__ import annotations

from pathlib import Path

import stock_kernels as stock
import torch
import triton


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


def test_text_that_a_launch_brings_along(tmp_path: Path) -> None:
    path = tmp_path / "subtract.ttir"
    path.write_text(text().replace("arith.addf", "arith.subf"))
    x, y, out = torch.randn(3, 500)
    stock.add[(1,)](x, y, out, 500, BLOCK=512, ir_override=str(path))
    assert torch.equal(out, x - y)
    stock.add[(1,)](x, y, out, 500, BLOCK=512)
    assert torch.equal(out, x + y)


def test_text_that_a_configuration_brings_along(tmp_path: Path) -> None:
    path = tmp_path / "subtract.ttir"
    path.write_text(text().replace("arith.addf", "arith.subf"))
    configs = [triton.Config({"BLOCK": 512}, ir_override=str(path))]
    x, y, out = torch.randn(3, 500)
    triton.autotune(configs, key=["n"])(stock.add)[(1,)](x, y, out, 500)
    assert torch.equal(out, x - y)
