"""Libraries' kernels, unchanged from their wheels on PyPI: the wrappers run on CPU tensors through stock Triton.

Each library is a table of rows in ``conformance.libraries``; a case is a row in one type. Each library has processes of
its own for its cases, so a case that ends its process or hangs fails alone.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.pool import Lost, run_cases
from conformance.verdict import Verdict, failed, passed, skipped

if TYPE_CHECKING:
    from conformance.libraries.rows import Row

SECONDS = 120.0
"""Seconds for one case."""

PACKAGES = Path(sys.prefix) / "libraries"
"""Directories of packages that are imported here only."""

GPU_ONLY = re.compile(r"CUDA|CPU only\. There seems a mistake", re.IGNORECASE)
"""Errors of libraries that read their tensors' device before a launch, or request a GPU from torch."""


@dataclass(frozen=True)
class Library:
    """A table of rows, ``conformance.libraries.KEY_rows``, and its packages for pip.

    ``triton`` is a directory of ``.venv`` with another Triton than the installed one. ``differs`` names rows whose
    results differ from their references on every device.
    """

    name: str
    key: str
    packages: tuple[str, ...]
    triton: str = ""
    differs: dict[str, str] = field(default_factory=dict)


LIBRARIES = (
    Library(
        "FlagGems 5.0.2",
        "flag_gems",
        ("flag-gems==5.0.2", "pyyaml==6.0.3", "sqlalchemy==2.1.9"),
        triton="triton-3.6",
        differs={
            "bitwise_left_shift": "it passes on an `out` that is not given, and fails there",
            "bitwise_right_shift": "it passes on an `out` that is not given, and fails there",
        },
    ),
    Library(
        "Liger 0.8.5",
        "liger",
        ("liger-kernel==0.8.5",),
        differs={"dyt": "its backward knows the number of processors of GPUs only"},
    ),
    Library("conch 1.3", "conch", ("conch-triton-kernels==1.3",)),
    Library("bitsandbytes 0.50.2", "bitsandbytes", ("bitsandbytes==0.50.2",)),
    Library("torchao 0.18.0", "torchao", ("torchao==0.18.0",)),
    Library("flash-linear-attention 0.6.0", "fla", ("fla-core==0.6.0", "einops==0.8.1")),
)


SAMPLED = 3
"""The first ones have rows among the tests, and tools/setup.sh installs them."""


@dataclass(frozen=True)
class Directories:
    """The directories of a library's packages and of its Triton."""

    packages: Path
    triton: Path | None

    @staticmethod
    def of(library: Library) -> Directories:
        """Returns these directories, after downloading missing ones."""
        install(library.packages, PACKAGES)
        return Directories(PACKAGES, Path(sys.prefix) / library.triton if library.triton else None)

    def enter(self) -> None:
        """Makes the library importable in this process; called before the first import of Triton."""
        if self.triton:
            sys.path.insert(0, str(self.triton))
        if str(self.packages) not in sys.path:
            sys.path.append(str(self.packages))
        caches = tempfile.mkdtemp(prefix="blockdsl-conformance-")
        atexit.register(shutil.rmtree, caches, ignore_errors=True)
        os.environ.update(TRITON_CACHE_DIR=caches, FLAGGEMS_CACHE_DIR=caches, BLOCKDSL_CACHE="0")
        warnings.simplefilter("ignore")


@dataclass(frozen=True)
class Case:
    library: Library
    directories: Directories
    row: str
    dtype: str


def install(packages: tuple[str, ...], target: Path) -> None:
    """Downloads the pinned packages, once."""
    marker = target / ".done"
    installed = marker.read_text().split() if marker.exists() else []
    missing = [package for package in packages if package not in installed]
    if missing:
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--upgrade", "--target", str(target)]
        subprocess.run([*command, *missing], check=True)
        marker.write_text("\n".join([*installed, *missing]))


def table_of(library: Library, directories: Directories) -> dict[str, Row]:
    directories.enter()
    # Libraries print missing packages and their choice of kernels, which would mix with the table's dots.
    logging.disable(logging.WARNING)
    with contextlib.redirect_stdout(io.StringIO()):
        module = importlib.import_module(f"conformance.libraries.{library.key}_rows")
        return {row.name: row for row in module.rows()}


def names_of(case: Case) -> list[tuple[str, str]]:
    return [(row.name, dtype) for row in table_of(case.library, case.directories).values() for dtype in row.types]


_tables: dict[str, dict[str, Row]] = {}


def run_case(case: Case) -> Verdict:
    name = f"{case.row} {case.dtype}"
    suite = case.library.name
    if suite not in _tables:
        _tables[suite] = table_of(case.library, case.directories)
    from conformance.libraries.rows import check

    begun = time.perf_counter()
    try:
        difference = check(_tables[suite][case.row], case.dtype)
    except Exception as error:
        difference = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
        if GPU_ONLY.search(str(error)):
            return skipped(suite, name, "the library asks for a GPU")
    seconds = time.perf_counter() - begun
    if difference and case.row in case.library.differs:
        return skipped(suite, name, case.library.differs[case.row])
    return failed(suite, name, difference, seconds) if difference else passed(suite, name, seconds)


def run(library: Library, jobs: int, is_selected: Callable[[str], object]) -> Iterator[Verdict]:
    """Downloads the library if it is missing, and runs its rows with matching names."""
    directories = Directories.of(library)
    ((_, names),) = run_cases(names_of, [Case(library, directories, "", "")], 1, SECONDS)
    if isinstance(names, Lost):
        yield failed(library.name, "the table", str(names))
        return
    cases = [Case(library, directories, row, dtype) for row, dtype in names if is_selected(row)]
    for number, result in run_cases(run_case, cases, jobs, SECONDS):
        case = cases[number]
        name = f"{case.row} {case.dtype}"
        yield failed(library.name, name, str(result)) if isinstance(result, Lost) else result


if __name__ == "__main__":
    for library in LIBRARIES[:SAMPLED]:
        install(library.packages, PACKAGES)
