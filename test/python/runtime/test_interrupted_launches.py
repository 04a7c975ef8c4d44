"""Tests of KeyboardInterrupt at any point of a launch: it is raised, and the next launch is right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.without_sanitizers("a process takes longer to end there")


def run(*arguments: str, program: str = "interrupted_launch_program.py") -> None:
    environment = {**os.environ, "BLOCKDSL_CACHE": "0"}
    command = [sys.executable, str(Path(__file__).parent / program), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


def test_while_arguments_the_grid_and_hooks_are_evaluated() -> None:
    run("data_ptr", "shape", "stride", "element_size", "grid", "index", "hook")


def test_while_a_kernel_is_compiled() -> None:
    run("cold")


def test_while_an_extension_module_is_imported() -> None:
    run(program="interrupted_import_program.py")
