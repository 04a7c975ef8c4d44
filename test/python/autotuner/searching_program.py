"""Run by test_choices_on_disk.py, several at a time: one launch, which writes each timed configuration to a file."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import blockdsl
import blockdsl.language as tl

LOG = sys.argv[1]


def bench(call: Callable[[], object], quantiles: object) -> float:
    call()
    with open(LOG, "a", encoding="utf-8") as file:
        file.write("timed\n")
    return 1.0


@blockdsl.autotune([blockdsl.Config({"BLOCK": size}) for size in (16, 32)], ["n"], do_bench=bench, cache_results=True)
@blockdsl.jit
def fill(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, 1.0, mask=offsets < n)


out = np.zeros(64, np.float32)
fill[lambda meta: (blockdsl.cdiv(64, meta["BLOCK"]),)](out, 64)
assert bool((out == 1).all())
