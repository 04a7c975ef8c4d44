"""Tests of the interpreter's end while other threads launch: without output, soon, and with its own exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.usefixtures("workers"),
    pytest.mark.without_sanitizers("a process takes longer to end there"),
]

HERE = Path(__file__).parent


def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=environment, timeout=60, check=False
    )


CASES = {
    "long": "",
    "endless": "",
    "endless and small": "",
    "no reference": "",
    "many": "",
    "fork": "",
    "late callback": "late: 64.0\n",
    "not a daemon": "64.0\n",
    "compiling for 0.05": "",
    "compiling for 0.5": "",
    "compiling for 2.5": "",
    "compiling for 0.3, ending slowly": "",
    "compiling for 1.5, ending slowly": "",
}


@pytest.mark.parametrize("case", CASES)
def test_launches_end_before_the_interpreter(case: str) -> None:
    threads = "1" if case == "endless and small" else "3"
    cache = "0" if case.startswith("compiling") else "1"
    done = run(str(HERE / "exit_program.py"), case, BLOCKDSL_NUM_THREADS=threads, BLOCKDSL_CACHE=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, CASES[case], "")


SUBINTERPRETER = """
import sys
if sys.version_info >= (3, 13):
    import _interpreters as interpreters
else:
    import _xxsubinterpreters as interpreters
import blockdsl._runtime
code = f'''
import importlib.util
# The extension alone: NumPy, which the package imports, has a refusal of its own.
spec = importlib.util.spec_from_file_location("blockdsl._runtime", {blockdsl._runtime.__file__!r})
try:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
except ImportError as error:
    print(error)
'''
interpreters.run_string(interpreters.create(), code)
"""


def test_a_sub_interpreter_is_refused() -> None:
    done = run("-c", SUBINTERPRETER)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "blockdsl runs in a process's main interpreter only, not in a sub-interpreter\n"
