"""What stock Triton's interpreter gives for the same kernels, in a process of its own: a decorator decides at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def answers(program: str, directory: Path) -> Mapping[str, Any]:
    """The arrays that a program beside this file writes, by the names of its cases."""
    into = directory / "answers.npz"
    command = [sys.executable, str(Path(__file__).parent / program), str(into)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return dict(np.load(into))
