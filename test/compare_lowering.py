"""Compares the output of two builds of ``blockdsl-opt`` for the same modules.

    PYTHONPATH=test python -m compare_lowering old/bin/blockdsl-opt build/bin/blockdsl-opt test build/kernels

A change that only moves code keeps the lowering equal to the letter, and with it the machine code. Paths are files, or
directories, whose ``.mlir`` and ``.ttir`` files are read; ``pytest --keep-kernels DIR`` writes the kernels of all tests
as such files. A lit test runs with the options of its own RUN lines; every other module is lowered to the LLVM dialect
for each of the CPUs below. Diagnostics are part of the comparison; computed values are not.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import difflib
import itertools
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_AVX2 = "+sse2,+avx2,+fma,+f16c"
_AVX512 = f"{_AVX2},+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512bf16,+avx512vnni"
_AMX = f"{_AVX512},+avx512fp16,+amx-tile,+amx-bf16,+amx-int8"
CPUS = {
    "Zen 4": f"vector-bits=512 features={_AVX512}",
    "Sapphire Rapids, may alias, streaming": f"vector-bits=512 features={_AMX} alias=unknown streaming-stores=true",
    "AVX2": f"vector-bits=256 features={_AVX2}",
    "Arm": "vector-bits=128 features=+neon",
}
"""Options of the pipeline, by name of the CPU."""

_RUN = re.compile(r"^//\s*RUN:\s*(?:not\s+)?blockdsl-opt\s+(?P<arguments>[^|>]*?)\s*(?:[|]|\d?>|$)", re.MULTILINE)
_CONTINUED = re.compile(r"\\\n//\s*(?:RUN:)?")
_SECONDS = 120


@dataclass(frozen=True)
class Job:
    """One module, lowered with one set of options."""

    path: Path
    arguments: tuple[str, ...]
    label: str

    def __str__(self) -> str:
        return f"{self.path} ({self.label})"


def files_of(paths: Sequence[Path]) -> Iterator[Path]:
    """Returns the named modules, and those in named directories."""
    for path in paths:
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix in {".mlir", ".ttir"})
        else:
            raise SystemExit(f"compare_lowering: there is no file or directory {path}")


def jobs_of(path: Path) -> Iterator[Job]:
    """Returns the ways to lower a module: its RUN lines if it has some, otherwise one for each CPU."""
    text = _CONTINUED.sub(" ", path.read_text())
    runs = [match["arguments"] for match in _RUN.finditer(text)]
    for run in runs:
        arguments = [str(path) if word == "%s" else word for word in shlex.split(run)]
        if str(path) in arguments and "-o" not in arguments:
            yield Job(path, tuple(arguments), run.strip())
    if not runs:
        for name, options in CPUS.items():
            yield Job(path, (str(path), f"--blockdsl-cpu={options}"), name)


def lowered(tool: str, job: Job) -> str:
    """Returns the output of a build of the tool: the module, then its diagnostics and exit status."""
    try:
        command = ["blockdsl-opt", *job.arguments]
        completed = subprocess.run(command, executable=tool, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return f"no result after {_SECONDS} s"
    return f"{completed.stdout}\n{completed.stderr}\nexit status {completed.returncode}\n"


def difference(before: str, after: str, job: Job) -> str | None:
    """Returns the first lines in which two builds differ, or None."""
    old, new = lowered(before, job), lowered(after, job)
    if old == new:
        return None
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "after", lineterm="", n=1)
    return "\n".join(f"    {line[:160]}" for line in itertools.islice(lines, 12))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="compare_lowering", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("before", help="blockdsl-opt of the build to compare with")
    parser.add_argument("after", help="blockdsl-opt of the build that is compared")
    parser.add_argument("paths", nargs="+", type=Path, help="modules, or directories of modules")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="modules at a time")
    options = parser.parse_args(arguments)
    jobs = [job for path in files_of(options.paths) for job in jobs_of(path)]
    difference_count = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        differences = pool.map(lambda job: difference(options.before, options.after, job), jobs)
        for job, lines in zip(jobs, differences, strict=True):
            if lines is not None:
                difference_count += 1
                print(f"{job}\n{lines}")
    print(f"{len(jobs)} lowerings compared, {difference_count} differ")
    return 1 if difference_count or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
