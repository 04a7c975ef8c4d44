"""Runs the checks of the launch path on GPUs, each file in a process whose libcuda.so.1 is the stub."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
BUILT = HERE.parents[2] / "build" / "test" / "cuda"


def run(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(BUILT), *sys.path])
    variables = {**os.environ, "LD_LIBRARY_PATH": str(BUILT), "PYTHONPATH": paths, **environment}
    return subprocess.run([sys.executable, *arguments], env=variables, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("check_*.py")))
def test_with_the_stub(file: str) -> None:
    result = run(["-m", "pytest", "-p", "no:cacheprovider", "--no-header", str(HERE / file)])
    assert result.returncode == 0, result.stdout + result.stderr
    assert "[100%]" in result.stdout


def no_library(path: Path) -> None:
    path.write_bytes(b"")


def another_library(path: Path) -> None:
    path.symlink_to(next(BUILT.glob("fake_tensors*.so")))


@pytest.mark.parametrize(("make", "why"), [(no_library, "libcuda.so.1: file too short"),
                                           (another_library, "libcuda.so.1 is too old, it has no cuInit")])  # fmt: skip
def test_without_a_driver(make: Callable[[Path], None], why: str, tmp_path: Path) -> None:
    make(tmp_path / "libcuda.so.1")
    result = run([str(HERE / "no_driver_program.py")], LD_LIBRARY_PATH=str(tmp_path))
    assert result.returncode == 0, result.stderr
    count, error, hint = result.stdout.splitlines()
    assert count == "0"
    assert "kernel 'kernel' on device 'cuda:0' needs CUDA's driver: " in error
    assert why in error
    assert "CPU memory" in hint


def test_kernels_alive_at_exit_are_left_to_the_driver() -> None:
    result = run([str(HERE / "exit_program.py")])
    assert result.returncode == 0, result.stderr
    assert result.stdout == "launched\n"
    assert result.stderr == ""
