"""Tests of Triton's variables that print stages: ``MLIR_ENABLE_DUMP``, ``LLVM_IR_ENABLE_DUMP``, reproducers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import stock_kernels as stock
import torch
import triton

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import TargetError


@blockdsl.jit
def our_add(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) + tl.load(y_ptr + at))


def stock_kernel() -> Any:
    stock.add.device_caches.clear()
    return stock.add.warmup(torch.float32, torch.float32, torch.float32, 500, BLOCK=512, grid=(1,))


def our_kernel() -> Any:
    return blockdsl.compile(our_add, dict.fromkeys(("x_ptr", "y_ptr", "out_ptr"), "*fp32"), {"BLOCK": 512})


TOOL = "import sys; from blockdsl.mlir.opt import main; sys.exit(main())"
KERNELS = pytest.mark.parametrize("make", [stock_kernel, our_kernel])


def stages(printed: str) -> list[str]:
    return re.findall(r"^(?://|;) -----(?://|;) IR Dump: (.*) (?://|;)----- (?://|;)$", printed, re.MULTILINE)


@KERNELS
def test_stages_of_mlir_are_printed(
    make: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    make()
    assert stages(capfd.readouterr().err) == []
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "1")
    kernel = make()
    printed = capfd.readouterr().err
    assert stages(printed) == ["ttir", "linalg", "nests", "loops", "llvm"]
    assert "tt.func" in printed
    assert kernel.asm["llvm"] in printed
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "another")
    make()
    assert stages(capfd.readouterr().err) == []
    monkeypatch.setenv("MLIR_ENABLE_DUMP", kernel.name)
    make()
    assert stages(capfd.readouterr().err) == ["ttir", "linalg", "nests", "loops", "llvm"]


@KERNELS
@pytest.mark.parametrize("where", ["here", "process"])
def test_llvm_ir_is_printed_before_and_after_optimization(
    make: Any, where: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if where == "process":
        monkeypatch.setenv("BLOCKDSL_COMPILE", where)
    monkeypatch.setenv("LLVM_IR_ENABLE_DUMP", "1")
    kernel = make()
    printed = capfd.readouterr().err
    assert stages(printed) == ["llir", "optimized llir"]
    before, after = printed.split("optimized llir")
    assert f"define void @{kernel.name}(" in before
    assert f"define void @{kernel.name}(" in after
    assert "target triple" in after


@KERNELS
def test_a_reproducer_is_run_by_the_tool(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "of" / "kernel.mlir"
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(path))
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    kernel = make()
    monkeypatch.delenv("TRITON_REPRODUCER_PATH")
    done = subprocess.run([sys.executable, "-c", TOOL, "--run-reproducer", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    functions = [re.findall(r"llvm\.func (?:\w+ )*@([\w.]+)", text) for text in (done.stdout, kernel.asm["llvm"])]
    assert functions[0] == functions[1]
    assert kernel.name in functions[0]


def test_a_reproducer_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(tmp_path / "file" / "kernel.mlir"))
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    with pytest.warns(RuntimeWarning, match="no reproducer is written to"):
        our_kernel()


def test_only_binaries_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton.knobs.compilation, "store_binary_only", True)
    message = "TRITON_STORE_BINARY_ONLY has Triton keep no kernels for a CPU, whose binary it does not know"
    with pytest.raises(TargetError, match=message):
        stock_kernel()
