"""Run by test_disk_cache.py, several at a time: one launch, which writes its compilation, if any, to a file."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from handwritten import make_add

from blockdsl.compiler import cpu_kernel


def main(log: str) -> None:
    make = cpu_kernel._make

    def noted(program: cpu_kernel.Program, options: cpu_kernel.Options, *further: object) -> object:
        with open(log, "a", encoding="utf-8") as file:
            file.write("compiled\n")
        return make(program, options, *further)

    cpu_kernel._make = noted
    x, y, out = (np.ones(64, dtype=np.float32) for _ in range(3))
    make_add()[(1,)](x, y, out, 64)
    assert bool((out == 2).all())


main(sys.argv[1])
