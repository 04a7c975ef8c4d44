"""Random programs of fixed seeds, compiled on one thread, on all, and interpreted. ``make fuzz`` runs others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FIRST, PROGRAMS = 4_000_000, 1000
SECONDS = 1000


@pytest.mark.long
def test_random_programs_compute_expected_values(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fuzz", "--seed", str(FIRST), "--programs", str(PROGRAMS), "--out", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{ROOT / 'test'}", "BLOCKDSL_CACHE": "0"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"not done after {SECONDS} s:\n{(late.stdout or b'')[-4000:].decode()}")
    written = "\n".join(path.read_text() for path in tmp_path.glob("*.py"))
    assert done.returncode == 0, f"{done.stdout[-4000:]}{done.stderr[-2000:]}\n{written[:6000]}"
    assert f"{PROGRAMS} programs from seed {FIRST}" in done.stdout
