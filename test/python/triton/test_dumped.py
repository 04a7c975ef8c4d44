"""``TRITON_KERNEL_DUMP`` and ``TRITON_KERNEL_OVERRIDE`` with stock Triton: its directories have our stages, too."""

from __future__ import annotations

from pathlib import Path

import pytest
import stock_kernels as stock
import torch

from blockdsl.compiler.stages import STAGES
from blockdsl.errors import CompilationError, LaunchError, TypeMismatchError


def added() -> tuple[torch.Tensor, list[str]]:
    """Returns the sum of ones by a newly compiled kernel, and the stages that Triton keeps of it."""
    stock.add.device_caches.clear()
    out = torch.zeros(1, 16)
    compiled = stock.add[(1,)](torch.ones(1, 16), torch.ones(1, 16), out, 16, BLOCK=16)
    return out, list(compiled.asm)


def test_stages_are_dumped_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "ours"))
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dumped"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    out, compiled = added()
    assert {*STAGES} <= {*compiled}
    assert (out == 2).all()
    # There is one directory, Triton's, also if a launch compiles another variant.
    overlapping = torch.ones(32)
    stock.add[(1,)](overlapping, overlapping, overlapping[4:], 16, BLOCK=16)
    (directory,) = (tmp_path / "dumped").iterdir()
    assert {path.name for path in directory.iterdir()} == {f"add.{stage}" for stage in (*STAGES, "blockdsl")}
    assert "func.func" in (directory / "add.loops").read_text()

    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    for path in directory.iterdir():
        if path.suffix != ".ttir":
            path.unlink()
    text = (directory / "add.ttir").read_text()
    assert text.count("arith.addf") == 1
    (directory / "add.ttir").write_text(text.replace("arith.addf", "arith.subf"))
    assert (added()[0] == 2).all()
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "dumped"))
    # With both variables, the stages that were read are dumped, and ours that Triton could read.
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    assert (added()[0] == 0).all()
    assert {path.name for path in directory.iterdir()} == {"add.ttir", "add.llir", "add.blockdsl"}


@pytest.fixture
def dumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns Triton's directory with the stages of the sum, which override kernels from now on."""
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "ours"))
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dumped"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    added()
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "dumped"))
    (directory,) = (tmp_path / "dumped").iterdir()
    return directory


def multiply(path: Path) -> None:
    """Edits the LLVM IR of the sum."""
    text = path.read_text()
    assert "fadd" in text
    path.write_text(text.replace("fadd", "fmul"))


def test_llvm_module_is_read_back(dumped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in dumped.iterdir():
        if path.suffix != ".llir":
            path.unlink()
    multiply(dumped / "add.llir")
    out, compiled = added()
    assert (out == 1).all()
    assert "llir" in compiled
    # The variant for arguments that overlap uses the file, too.
    x = torch.full((16,), 3.0)
    stock.add[(1,)](x, x, x, 16, BLOCK=16)
    assert (x == 9).all()
    # Triton keeps it under a key that contains the file.
    monkeypatch.delenv("TRITON_KERNEL_OVERRIDE")
    assert (added()[0] == 2).all()


def test_an_edited_plan_is_read_from_the_directory_of_all_kernels(dumped: Path) -> None:
    plan = dumped.parent / "add.nests"
    plan.write_text((dumped / plan.name).read_text().replace("arith.addf", "arith.mulf"))
    for path in dumped.iterdir():
        path.unlink()
    assert (added()[0] == 1).all()
    # The variant for arguments that overlap uses the file, too.
    x = torch.full((16,), 3.0)
    stock.add[(1,)](x, x, x, 16, BLOCK=16)
    assert (x == 9).all()


def test_invalid_llvm_module_is_reported(dumped: Path) -> None:
    for path in dumped.iterdir():
        if path.suffix != ".llir":
            path.unlink()
    (dumped / "add.llir").write_text("define void @add( {")
    with pytest.raises(CompilationError, match="LLVM cannot read the file"):
        added()


def test_a_binary_is_not_read_back(dumped: Path) -> None:
    with pytest.raises(LaunchError) as caught:
        added()
    assert str(caught.value) == (
        "a file that ends in .blockdsl overrides a kernel, and cannot be read back\n"
        "  hint: keep in TRITON_OVERRIDE_DIR only what is edited: KERNEL.ttir or KERNEL.llir"
    )


@pytest.mark.parametrize("stage", ["ttir", "nests", "loops", "llir"])
def test_our_own_directory(stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "ours"))
    monkeypatch.setenv("BLOCKDSL_DUMP_DIR", str(tmp_path / "stages"))
    monkeypatch.setenv("BLOCKDSL_DUMP", stage)
    assert (added()[0] == 2).all()
    (path,) = (tmp_path / "stages").iterdir()
    path.write_text(path.read_text().replace("arith.addf", "arith.mulf").replace("fadd", "fmul"))
    monkeypatch.setenv("BLOCKDSL_OVERRIDE_DIR", str(tmp_path / "stages"))
    assert (added()[0] == 1).all()
    # A file with the kernel's name alone applies to all specializations.
    path.rename(tmp_path / "stages" / f"add.{stage}")
    assert (added()[0] == 1).all()
    monkeypatch.delenv("BLOCKDSL_OVERRIDE_DIR")
    assert (added()[0] == 2).all()


def test_text_of_another_kernel_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_OVERRIDE_DIR", str(tmp_path))
    (tmp_path / "add.ttir").write_text("tt.func public @add(%p: !tt.ptr<f32>) { tt.return }")
    with pytest.raises(TypeMismatchError, match="is expected to hold kernel 'add' with parameters"):
        added()


def test_llvm_module_as_an_option(dumped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_KERNEL_OVERRIDE")
    multiply(dumped / "add.llir")
    path = dumped.rename(tmp_path / "edited") / "add.llir"
    x, y, out = torch.full((3, 16), 3.0)
    stock.add.device_caches.clear()
    stock.add[(1,)](x, y, out, 16, BLOCK=16, ir_override=str(path))
    assert (out == 9).all()
