"""Tests of first launches from the disk cache: they do no more than necessary."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def imported_by_a_launch(cache: Path) -> list[str]:
    environment = os.environ | {"BLOCKDSL_CACHE": "1", "BLOCKDSL_CACHE_DIR": str(cache),
                                "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}  # fmt: skip
    command = [sys.executable, str(Path(__file__).with_name("cached_launch_program.py"))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_launch_from_disk_cache_imports_no_compiler(tmp_path: Path) -> None:
    assert "llvmlite.binding" in imported_by_a_launch(tmp_path)
    assert imported_by_a_launch(tmp_path) == []
