"""Tests of stages that are read from files, in place of the compiler's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from kernels import made

import blockdsl
from blockdsl.compiler import ownership
from blockdsl.compiler.overrides import STAGES
from blockdsl.errors import BlockdslError, CompilationError


def launched(block: int = 8) -> tuple[float, Any]:
    """Returns the first element of the result of a newly compiled kernel, for ones."""
    o = torch.zeros(64)
    compiled = made()[(1,)](torch.ones(64), o, 64, BLOCK=block)
    return o[0].item(), compiled


@pytest.fixture
def dumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Returns the kernel's stages, in the directory of overrides."""
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("BLOCKDSL_DUMP_DIR", str(tmp_path / "stages"))
    monkeypatch.setenv("BLOCKDSL_DUMP", ",".join(STAGES))
    assert launched()[0] == 2.5
    monkeypatch.delenv("BLOCKDSL_DUMP")
    monkeypatch.setenv("BLOCKDSL_OVERRIDE_DIR", str(tmp_path / "stages"))
    return {path.suffix[1:]: path for path in (tmp_path / "stages").iterdir()}


def leave(stage: str, dumped: dict[str, Path]) -> Path:
    """Removes the files of the other stages."""
    for other in set(dumped) - {stage}:
        dumped[other].unlink()
    return dumped[stage]


@pytest.mark.parametrize("setting", ["here", "process"])
@pytest.mark.parametrize("stage", STAGES)
def test_edited_stage_is_used(
    setting: str,
    stage: str,
    dumped: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BLOCKDSL_COMPILE", setting)
    leave(stage, dumped)
    dumped[stage].write_text(dumped[stage].read_text().replace("1.500000e+00", "3.000000e+00"))
    result, compiled = launched()
    assert result == 4.0
    assert "3.000000e+00" in compiled.asm[stage]
    assert f"blockdsl: kernel 'raised' is overridden with {dumped[stage]}\n" in capfd.readouterr().err
    # Neither a dump for other arguments nor an entry of the disk cache is used in its place.
    assert launched(16)[0] == 2.5
    dumped[stage].rename(dumped[stage].with_name(f"raised.{stage}"))
    assert launched()[0] == 4.0
    monkeypatch.delenv("BLOCKDSL_OVERRIDE_DIR")
    assert launched()[0] == 2.5


def test_edited_lanes_change_the_machine_code(dumped: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = leave("nests", dumped)
    with monkeypatch.context() as without:
        without.delenv("BLOCKDSL_OVERRIDE_DIR")
        _, planned = launched()
    path.write_text(re.sub(r"lanes = \d+(, interleave = \d+)?", "lanes = 2", path.read_text()))
    x, o = torch.arange(64.0), torch.zeros(64)
    narrow = made()[(8,)](x, o, 64, BLOCK=8)
    assert o.equal(x + 1.5)
    before, after = (set(re.findall(r"arith.addf .* : (.*)", each.asm["loops"])) for each in (planned, narrow))
    assert before != after == {"vector<2xf32>"}
    assert planned.asm["asm"] != narrow.asm["asm"]
    # The accesses in a file are not analyzed.
    assert planned.access_location(0) is not None
    assert narrow.access_location(0) is None


@pytest.mark.parametrize("setting", ["here", "process"])
def test_invalid_plan(setting: str, dumped: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_COMPILE", setting)
    path = leave("nests", dumped)
    text = path.read_text()
    for vector, before in ((3, ""), (4, "\n\n")):
        edited = before + text.replace("vector = 0", f"vector = {vector}")
        path.write_text(edited)
        line = edited[: edited.index("cpu.nest")].count("\n") + 1
        with pytest.raises(CompilationError) as got:
            launched()
        error = got.value
        assert error.message.startswith("'nest' expects a vector dimension with at least")
        assert f", got dimension {vector} of (8)\n  {path}:{line}:5\n      cpu.nest config <order = [0], " in str(error)
        assert error.dump is not None
        assert f"vector = {vector}" in Path(error.dump).read_text()
        assert "--blockdsl-to-loops=" in str(error.command)


def test_a_reproducer_begins_with_the_file(
    dumped: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave("nests", dumped).write_text(dumped["nests"].read_text().replace("1.500000e+00", "3.000000e+00"))
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(tmp_path / "reproducer.mlir"))
    assert launched()[0] == 4.0
    written = (tmp_path / "reproducer.mlir").read_text()
    assert "cpu.nest" in written
    assert "3.000000e+00" in written
    assert 'pipeline: "builtin.module(blockdsl-to-loops{' in written


def test_triton_override_variables(dumped: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    leave("ttir", dumped)
    dumped["ttir"].write_text(dumped["ttir"].read_text().replace("1.500000e+00", "3.000000e+00"))
    monkeypatch.delenv("BLOCKDSL_OVERRIDE_DIR")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(dumped["ttir"].parent))
    assert launched()[0] == 2.5
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    assert launched()[0] == 4.0


@pytest.mark.parametrize(
    ("stage", "edited", "to", "message"),
    [
        ("ttir", "arith.addf", "arith.subq", "KernelSyntaxError: custom op 'arith.subq' is unknown\n"
         "  {file}:{line}:11\n      %{n} = arith.subq"),
        ("ttir", "@raised", "@other", "TypeMismatchError: '{file}' is expected to hold kernel 'raised' with parameters "
         "(!tt.ptr<f32>, !tt.ptr<f32>, i32), got 'other' with (!tt.ptr<f32>, !tt.ptr<f32>, i32)\n  {file}:1:1\n"),
        ("nests", "cpu.yield", "cpu.yields", "KernelSyntaxError: custom op 'cpu.yields' is unknown\n"
         "  {file}:{line}:7\n      cpu.yields"),
        ("nests", "@raised", "@other", "TypeMismatchError: '{file}' is expected to hold kernel 'raised' with "
         "parameters (!tt.ptr<f32>, !tt.ptr<f32>, i32), got 'other' with (!tt.ptr<f32>, !tt.ptr<f32>, i32)\n"
         "  {file}:1:1\n"),
        ("nests", "%arg2: i32", "%more: f32, %arg2: i32", "TypeMismatchError: '{file}' is expected to hold kernel "
         "'raised' with parameters (!tt.ptr<f32>, !tt.ptr<f32>, i32), got 'raised' with (!tt.ptr<f32>, !tt.ptr<f32>, "
         "f32, i32)\n  {file}:1:1\n"),
        ("loops", "arith.addf", "arith.subq", "KernelSyntaxError: custom op 'arith.subq' is unknown\n"
         "  {file}:{line}:11\n      %{n} = arith.subq"),
        ("loops", "blockdsl.scratch, ", "", "TypeMismatchError: '{file}' is expected to hold kernel 'raised' with "
         "parameters (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr {{blockdsl.scratch}}), got 'raised' with (!llvm.ptr, "
         "!llvm.ptr, i32, !llvm.ptr)\n  {file}:1:1\n"),
        ("llir", "fadd", "faddd", "CompilationError: LLVM cannot read the file: expected instruction opcode\n"
         "  {file}:{line}:9, in raised\n      %{n} = faddd"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("setting", ["here", "process"])
def test_mistake_has_its_line_in_the_file(
    setting: str, stage: str, edited: str, to: str, message: str, dumped: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("BLOCKDSL_COMPILE", setting)
    text = dumped[stage].read_text()
    line = text[: text.index(edited)].count("\n") + 1
    number = text.splitlines()[line - 1].partition("=")[0].strip(" %")
    leave(stage, dumped).write_text(text.replace(edited, to, 1))
    with pytest.raises(BlockdslError) as got:
        launched()
    expected = message.format(file=dumped[stage], line=line, n=number)
    assert f"{type(got.value).__name__}: {got.value}".startswith(expected)


CALLING = """declare void @elsewhere()
define void @raised(ptr %a, i64 %b, i64 %c, ptr %d) { call void @elsewhere() ret void }"""
LOOPS = "(%x: !llvm.ptr, %o: !llvm.ptr, %n: i32, %scratch: !llvm.ptr {blockdsl.scratch})"
BROKEN = "define i32 @f() { a: br label %b b: %x = phi i32 [1, %a], [2, %b] ret i32 %x }"
OTHER = "TypeMismatchError: '{file}' is expected to define function 'raised' of type void (ptr, i64, i64, ptr), got "


@pytest.mark.parametrize(
    ("stage", "content", "message"),
    [
        ("ttir", "\xff", "KernelSyntaxError: '{file}' is expected to be text in UTF-8, got 'utf-8' codec can't decode"),
        ("ttir", "", "CompilationError: the module has no public function with a body, and so no kernel\n"
         "  {file}:1:1\n"),
        ("nests", "", "CompilationError: the module has no public function with a body, and so no kernel\n"
         "  {file}:1:1\n"),
        ("loops", f"func.func @raised{LOOPS} {{ return }}", OTHER + "void (ptr, ptr, i32, ptr)\n  {file}:1:1\n"),
        ("loops", f"func.func private @elsewhere() func.func @raised{LOOPS} attributes {{blockdsl.kernel}} "
         "{ func.call @elsewhere() : () -> () return }", "CompilationError: what the file defines is not loaded: the "
         "code calls 'elsewhere', which kernels may not\n  {file}:1:1, in raised\n"),
        ("llir", "", OTHER + "none\n  {file}:1:1\n"),
        ("llir", "define void @raised(i32 %x) { ret void }", OTHER + "void (i32)\n  {file}:1:1\n"),
        ("llir", "declare void @raised(ptr, i64, i64, ptr)", OTHER + "none\n  {file}:1:1\n"),
        ("llir", CALLING, "CompilationError: what the file defines is not loaded: the code calls 'elsewhere', which "
         "kernels may not\n  {file}:1:1, in raised\n"),
        ("llir", BROKEN, "CompilationError: LLVM cannot read the file: PHINode should have one entry for each "
         "predecessor of its parent basic block!"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("setting", ["here", "process"])
def test_refuses_file_of_another_stage(
    setting: str, stage: str, content: str, message: str, dumped: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOCKDSL_COMPILE", setting)
    # LLVM ends the process when it reads a broken module with this flag, which our modules have.
    flags = '\n!llvm.module.flags = !{!0}\n!0 = !{i32 2, !"Debug Info Version", i32 3}\n'
    leave(stage, dumped).write_text(content + flags * (stage == "llir"), encoding="latin-1")
    with pytest.raises(BlockdslError) as got:
        launched()
    assert f"{type(got.value).__name__}: {got.value}".startswith(message.format(file=dumped[stage]))


def test_module_without_kernel_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.ttir").touch()
    with pytest.raises(BlockdslError) as got:
        blockdsl.compile(tmp_path / "empty.ttir")
    assert f"and so no kernel\n  {tmp_path / 'empty.ttir'}:1:1\n" in str(got.value)


def test_a_kernel_for_gpus_is_overridden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    monkeypatch.setenv("BLOCKDSL_OVERRIDE_DIR", str(tmp_path))
    arguments: Any = (torch.float32, torch.float32, 64)
    compiled = made().warmup(*arguments, BLOCK=64, grid=(1,), target="cuda:90")
    (tmp_path / "raised.ttir").write_text(compiled.asm["ttir"].replace("1.500000e+00", "3.000000e+00"))
    (tmp_path / "raised.loops").write_text("for CPUs")
    edited = made().warmup(*arguments, BLOCK=64, grid=(1,), target="cuda:90")
    output = capfd.readouterr().err
    assert (output.count("raised.ttir"), output.count("raised.loops")) == (1, 0)
    assert ("0f3FC00000" in compiled.asm["ptx"], "0f3FC00000" in edited.asm["ptx"]) == (True, False)


NAMED = """
import torch, blockdsl, blockdsl.language as tl

def name(specialization):
    return f"fill_{specialization.signature['x_ptr']}_{specialization.constants['BLOCK']}".replace("*", "p/")

@blockdsl.jit(repr=name)
def fill(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)

x = torch.zeros(8)
compiled = fill[(1,)](x, BLOCK=8)
print(compiled.name, compiled.metadata.name, compiled, "@\\"fill_p/fp32_8\\"" in compiled.asm["ttir"], x.sum().item())
"""


def test_a_kernel_is_named_by_its_repr(tmp_path: Path) -> None:
    (tmp_path / "named.py").write_text(NAMED)
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TRITON_CACHE_DIR": str(tmp_path / "triton"),
        "BLOCKDSL_DUMP": "ttir", "BLOCKDSL_DUMP_DIR": str(tmp_path / "dump"),
    }  # fmt: skip
    environment.pop("BLOCKDSL_CACHE_DIR", None)
    for _ in range(2):
        done = subprocess.run([sys.executable, str(tmp_path / "named.py")], capture_output=True, text=True,
                              env=environment, timeout=300, check=False)  # fmt: skip
        assert done.stdout == "fill_p/fp32_8 fill_p/fp32_8 <CompiledKernel fill_p/fp32_8> True 8.0\n", done.stderr
    assert [path.name[:14] for path in (tmp_path / "dump").iterdir()] == ["fill_p_fp32_8-"]
    # Triton's directory is used if ours is not set.
    assert [path.name for path in (tmp_path / "triton").iterdir()] == ["blockdsl"]


def test_repr_without_a_name() -> None:
    kernel = blockdsl.jit(repr=lambda _: 3)(made().fn)  # type: ignore[arg-type, return-value]
    with pytest.raises(BlockdslError, match=r"jit\(repr=...\) of kernel 'raised' is expected to give a name, got 3"):
        kernel.warmup(torch.float32, torch.float32, 64, BLOCK=64, grid=(1,))


def test_names_distinguish_kernels(tmp_path: Path) -> None:
    function = made().fn
    one, other = (blockdsl.jit(repr=lambda _, n=n: f"raised{n}")(function) for n in (1, 2))
    o = torch.zeros(64)
    names = [kernel[(1,)](torch.ones(64), o, 64, BLOCK=8).name for kernel in (one, other)]
    assert names == ["raised1", "raised2"]
    types = {"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}
    blockdsl.compile(one, types, {"BLOCK": 8}, output=tmp_path / "r.o")
    assert "raised1(" in (tmp_path / "r.h").read_text()


@pytest.mark.parametrize("setting", ["directory", "file"])
def test_files_writable_by_others_are_not_used(
    setting: str, dumped: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership, "_warned", set())
    leave("ttir", dumped)
    dumped["ttir"].write_text(dumped["ttir"].read_text().replace("1.500000e+00", "3.000000e+00"))
    assert launched()[0] == 4.0
    path = dumped["ttir"].parent if setting == "directory" else dumped["ttir"]
    before = path.stat().st_mode & 0o777
    path.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="overrides no kernel .others may write to it") as caught:
        assert launched()[0] == 2.5
    assert len(caught) == 1
    path.chmod(before)
    assert launched()[0] == 4.0
