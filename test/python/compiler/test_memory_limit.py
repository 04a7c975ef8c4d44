"""Tests of compilations under a limit of address space: those that exceed it report a lack of memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "limited_program.py"


def said(megabytes: int, kernel: str = "increment") -> str:
    environment = {**os.environ, "BLOCKDSL_CACHE": "0", "OPENBLAS_NUM_THREADS": "1"}
    program = [sys.executable, str(PROGRAM), str(megabytes), kernel]
    run = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout


# Includes the memory that libraries allocate.
@pytest.mark.parametrize("megabytes", [400, 700, 1100, 1300])
def test_a_compilation_that_fits_runs(megabytes: int) -> None:
    assert said(megabytes) == "right\n"


@pytest.mark.parametrize("megabytes", [10, 50, 100, 150, 190])
def test_compilation_beyond_limit_reports_memory(megabytes: int) -> None:
    assert "MB of address space are left under the limit of" in said(megabytes)


@pytest.mark.parametrize("megabytes", range(200, 320, 20))
def test_a_matmul_near_the_limit_runs_or_reports_memory(megabytes: int) -> None:
    assert said(megabytes, "matmul").startswith(("right", "short"))
