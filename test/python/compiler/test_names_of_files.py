"""Names of files that are not UTF-8, as old home directories have, and programs in the locale C."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from blockdsl import errors
from blockdsl.compiler import cache
from blockdsl.errors import Location


@pytest.mark.parametrize(
    "environment",
    [{}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"BLOCKDSL_COMPILE": "process"},
     {"BLOCKDSL_INTERPRET": "1"}],
    ids=["here", "C", "process", "interpreted"],
)  # fmt: skip
def test_kernels_run_with_non_utf8_file_names(environment: dict[str, str], tmp_path: Path) -> None:
    program = Path(__file__).with_name("bytes_program.py")
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path)], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, **environment, "PYTHONPATH": path},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize(
    ("name", "printed"),
    [(os.fsdecode(b"caf\xe9/k.py"), "caf\\xe9/k.py"), ("\ud800.py", "\\ud800.py"), ("caf\u00e9.py", "caf\u00e9.py")],
)
def test_names_in_messages_can_be_printed(name: str, printed: str) -> None:
    assert errors.printable(name) == printed == errors.printable(printed) == Location(name, 1, 1).file
    assert errors.file_name(printed) == name


def test_cache_keys_of_non_utf8_file_names() -> None:
    names = (os.fsdecode(b"caf\xe9"), os.fsdecode(b"caf\xe8"), "caf\\xe9")
    assert len({cache.digest(name) for name in names}) == 3
