"""Run by test_examples.py: examples/data_parallel.py, which writes its compilations and its threads to a file."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from blockdsl import _runtime
from blockdsl.compiler import cpu_kernel
from examples import data_parallel

LOG = sys.argv.pop(1)
make = cpu_kernel._make


def note(line: str) -> None:
    with open(LOG, "a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def noted(program: cpu_kernel.Program, *further: object) -> object:
    note(f"compiled {program.name} {program.identity} {further[:2]}")
    return make(program, *further)


cpu_kernel._make = noted
data_parallel.main()
note(f"threads {_runtime.get_num_threads()}")
for thread in Path("/proc/self/task").iterdir():
    if (name := (thread / "comm").read_text().strip()).startswith("pt_gloo"):
        note(f"{name} is still there")
