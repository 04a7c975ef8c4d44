"""Tests with the oldest supported Triton, from a directory of its own: a process can import only one version."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
OLDEST = Path(sys.prefix) / "triton-3.6"


@pytest.mark.long
def test_the_same_with_triton_36() -> None:
    path = os.pathsep.join([*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(OLDEST)])
    # Our passes and our front end are those of 3.9, and so are the texts of the comparisons.
    others = [f"--ignore={each}" for each in (__file__, HERE / "test_same_passes.py", HERE / "test_front_end.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", str(HERE), *others, "-p", "no:cacheprovider"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stdout[-4000:]
