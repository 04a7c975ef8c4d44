"""Tests of Ctrl-C while a kernel is compiled: it is handled soon in every stage, and leaves no partial results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# It takes a tenth of a second; more is allowed for machines that build at the same time.
BOUND = 1.5


def start(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "BLOCKDSL_CACHE": "1",
        "BLOCKDSL_CACHE_DIR": str(tmp_path / "cache"),
    }
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, timeout=100, check=False
    )


@pytest.mark.parametrize(("stage", "after"), [("ttir", 0.1), ("linalg", 0.3), ("loops", 0.1), ("llir", 0.5)])
def test_a_compilation_is_interrupted(tmp_path: Path, stage: str, after: float) -> None:
    done = start(tmp_path, str(HERE / "interrupted_compilation_program.py"), stage, str(after), "300")
    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert first.startswith("interrupted ")
    assert float(first.split()[1]) < BOUND
    assert second == "right"
    # The process ends with its own status, and does not wait for LLVM.
    assert done.returncode == 3
