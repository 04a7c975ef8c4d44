"""Tests of the comparison of two builds' lowering."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import compare_lowering

TOOL = str(Path(__file__).parents[2] / "build/bin/blockdsl-opt")

COPY = """
tt.func public @copy(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
  %value = tt.load %from : !tt.ptr<f32>
  tt.store %to, %value : !tt.ptr<f32>
  tt.return
}
"""


def edited(tmp_path: Path, old: str, new: str) -> str:
    """A tool whose output differs from blockdsl-opt's in one word."""
    script = tmp_path / "edited-opt"
    script.write_text(f"""#!{sys.executable}
import subprocess, sys
done = subprocess.run([{TOOL!r}, *sys.argv[1:]], capture_output=True, text=True)
sys.stdout.write(done.stdout.replace({old!r}, {new!r}))
sys.stderr.write(done.stderr)
sys.exit(done.returncode)
""")
    script.chmod(0o755)
    return str(script)


def test_equal_builds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = tmp_path / "copy.ttir"
    module.write_text(COPY)
    assert compare_lowering.main([TOOL, TOOL, str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{len(compare_lowering.CPUS)} lowerings compared, 0 differ\n"


def test_one_different_word_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = tmp_path / "copy.ttir"
    module.write_text(COPY)
    assert compare_lowering.main([TOOL, edited(tmp_path, "llvm.store", "llvm.stored"), str(module)]) == 1
    out = capsys.readouterr().out
    assert "copy.ttir (AVX2)" in out
    assert re.search(r"\+ +llvm\.stored", out)
    assert f"{len(compare_lowering.CPUS)} differ" in out


def test_run_lines_give_the_options(tmp_path: Path) -> None:
    module = tmp_path / "test.mlir"
    module.write_text(f"// RUN: blockdsl-opt %s -canonicalize | FileCheck %s\n// RUN: not blockdsl-opt %s 2>&1\n{COPY}")
    assert [job.arguments for job in compare_lowering.jobs_of(module)] == [
        (str(module), "-canonicalize"),
        (str(module),),
    ]


def test_diagnostics_are_compared(tmp_path: Path) -> None:
    module = tmp_path / "wrong.mlir"
    module.write_text("tt.func public @wrong() { tt.nothing }\n")
    assert compare_lowering.main([TOOL, TOOL, str(module)]) == 0
    assert compare_lowering.main([TOOL, edited(tmp_path, "x", "x"), str(module)]) == 0
    script = tmp_path / "silent-opt"
    script.write_text(f'#!/bin/sh\n{TOOL} "$@" 2>/dev/null\n')
    script.chmod(0o755)
    assert compare_lowering.main([TOOL, str(script), str(module)]) == 1


def test_no_inputs_is_a_failure(tmp_path: Path) -> None:
    assert compare_lowering.main([TOOL, TOOL, str(tmp_path)]) == 1
    with pytest.raises(SystemExit, match="there is no file or directory"):
        compare_lowering.main([TOOL, TOOL, str(tmp_path / "missing")])
