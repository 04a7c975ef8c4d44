"""Run by test_scarce_threads.py, below failing_allocations.c: launches where no thread can be started."""

from __future__ import annotations

import ctypes
import os

import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime
from blockdsl.errors import OutOfResourcesError

faults = ctypes.PyDLL(os.environ["LD_PRELOAD"])


@blockdsl.jit
def meet(arrived, out):
    """All programs wait for each other."""
    tl.atomic_add(arrived, 1)
    while tl.atomic_add(arrived, 0) < tl.num_programs(0):
        pass
    tl.store(out + tl.program_id(0), 1)


@blockdsl.jit
def follow(flags, out):
    """Each program waits for the one before it."""
    program = tl.program_id(0)
    if program > 0:
        while tl.atomic_add(flags + program - 1, 0) == 0:
            pass
    tl.store(out + program, program)
    tl.atomic_xchg(flags + program, 1)


def zeros(size: int) -> torch.Tensor:
    return torch.zeros(size, dtype=torch.int32)


_runtime.set_workers("own")
for kernel in (meet, follow):
    kernel.warmup(zeros(1), zeros(8), grid=(8,))
faults.refuse_threads(1)
try:
    meet[(8,)](zeros(1), zeros(8))
    print("no error")
except OutOfResourcesError as error:
    print(error.message)
out = zeros(64)
follow[(64,)](zeros(64), out)
assert out.tolist() == list(range(64))
faults.refuse_threads(0)
out = zeros(8)
meet[(8,)](zeros(1), out)
assert out.tolist() == [1] * 8
print("right")
