"""Test that stock Triton compiles programs that are drawn for a GPU; others could not be compared there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = 60


@pytest.mark.parametrize("version", ["3.6", "3.9"])
def test_triton_compiles_programs_drawn_for_a_gpu(version: str) -> None:
    paths = [ROOT / "python", ROOT / "test", *([Path(sys.prefix) / "triton-3.6"] if version == "3.6" else [])]
    command = [sys.executable, "-W", "ignore", "-m", "fuzz.stock", "--programs", str(PROGRAMS)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    summary = re.search(r"Triton (\d+\.\d+)\.\d+ takes (\d+) of (\d+) programs\n.*", done.stdout, re.DOTALL)
    assert summary is not None, done.stderr[-2000:]
    assert (summary[1], int(summary[3])) == (version, PROGRAMS)
    assert int(summary[2]) >= 0.9 * PROGRAMS, summary[0]
