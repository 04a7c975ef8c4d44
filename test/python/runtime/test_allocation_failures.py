"""Tests of allocations that fail in a launch: a MemoryError, after which launches succeed.

Compilations are not tested: LLVM ends the process if it finds no memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.without_sanitizers("a sanitizer has an allocator of its own")

FAULTS = Path(__file__).parent / "faults"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernels of the program are cached beside it."""
    built = tmp_path_factory.mktemp("faults") / "failing_allocations.so"
    source = FAULTS / "failing_allocations.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", built, source, "-ldl", "-pthread"], check=True)
    return built


def errors_of(library: Path, *cases: str, **variables: str) -> dict[str, int]:
    """Returns for each of the program's cases how many launches raised MemoryError."""
    disk = {"BLOCKDSL_CACHE": "1", "BLOCKDSL_CACHE_DIR": str(library.parent / "kernels")}
    program = [sys.executable, str(FAULTS / "allocations_program.py"), *cases]
    environment = {**os.environ, **disk, "LD_PRELOAD": str(library), **variables}
    run = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    rows = [line.split() for line in run.stdout.splitlines()]
    return {f"{name}-{way}": int(errors) for name, way, _, errors in rows}


# Each with its fewest errors, from allocations for this launch alone. A launch continues if it lacks memory for further
# threads, or for data of later launches.
CASES = {
    "arrays-cold": 10, "warm-warm": 0, "thread-warm": 0, "arrays-warm": 2, "foreign-warm": 2, "pair-warm": 0,
    "same-warm": 1, "scratch-warm": 0, "stock-warm": 0, "repeated-warm": 0, "disk-warm": 10, "pair_disk-warm": 10,
}  # fmt: skip


def test_failed_allocation_in_a_launch_raises(library: Path) -> None:
    errors = errors_of(library, *CASES)
    assert errors.keys() == CASES.keys()
    assert all(errors[case] >= least for case, least in CASES.items()), errors


def test_failed_python_allocation_raises(library: Path) -> None:
    errors = errors_of(library, "pair-warm", "stock-warm", "repeated-warm", PYTHONMALLOC="malloc")
    assert errors["pair-warm"] >= 2
    assert errors["stock-warm"] >= 2
