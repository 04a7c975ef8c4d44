"""Stock Triton's interpreter on the same kernels, in a subprocess, because the decorator reads its setting once."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import shared_code
from blockdsl import interpreter


def interpreted(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> None:
    """Runs a kernel in our interpreter."""
    names = [parameter.name for parameter in kernel.source.parameters]
    interpreter.run(kernel.source, {**dict(zip(names, args, strict=False)), **kwargs}, grid)


def answers(program: str, directory: Path, device: str) -> Mapping[str, Any]:
    """Returns the arrays that a program beside this file writes, by the names of its cases; once for a directory.

    With a GPU they come from our interpreter, whose results are the same: Triton may be an older version there.
    """
    if device == "cuda":
        module = importlib.import_module(Path(program).stem)
        return {name: module.result(name, interpreted).numpy() for name in module.CASES}

    def write(path: Path) -> None:
        command = [sys.executable, str(Path(__file__).parent / program), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr

    return dict(np.load(shared_code.once(directory / f"{Path(program).stem}.npz", write)))
