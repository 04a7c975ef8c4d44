"""Launches on threads with small stacks, and where the system starts no threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from test_allocation_failures import FAULTS, library

import blockdsl
import blockdsl.language as tl

__all__ = ["library"]


def test_programs_waiting_for_an_unscheduled_program(library: Path) -> None:
    run = subprocess.run([sys.executable, str(FAULTS / "threads_program.py")], capture_output=True, text=True,
                         env={**os.environ, "LD_PRELOAD": str(library)}, timeout=300)  # fmt: skip
    assert run.returncode == 0, run.stderr
    message, right = run.stdout.splitlines()
    assert message.startswith(
        "programs of kernel 'meet' wait for one that has not begun, and the system starts no further"
    )
    assert right == "right"


def on_stack_of(kibibytes: int, work: Any) -> None:
    before = threading.stack_size(kibibytes << 10)
    thread = threading.Thread(target=work)
    try:
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()


@blockdsl.jit
def softmax_rows(out, x, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.load(x + at)
    numerator = tl.exp(row - tl.max(row, 0))
    tl.store(out + at, numerator / tl.sum(numerator, 0))


@blockdsl.jit
def fail_at_the_end(x, n):
    tl.device_assert(tl.load(x) == n, "x is another")


@pytest.mark.parametrize("kibibytes", [64, 128, 1024])
def test_a_thread_with_a_small_stack_launches(kibibytes: int) -> None:
    x = torch.randn(64, 16384)
    outputs: list[torch.Tensor] = []
    # Takes more than 64 KiB of stack.
    compiled = softmax_rows.warmup(x, x, COLUMNS=16384, grid=(64,))
    assert compiled.stack_bytes > 64 << 10

    def work() -> None:
        for _ in range(3):
            out = torch.empty_like(x)
            softmax_rows[(64,)](out, x, COLUMNS=16384)
            outputs.append(out)
        with pytest.raises(blockdsl.errors.KernelAssertionError, match="x is another"):
            fail_at_the_end[(1,)](x, 1e9)
        outputs.append(x)

    on_stack_of(kibibytes, work)
    assert len(outputs) == 4
    for out in outputs[:3]:
        torch.testing.assert_close(out, torch.softmax(x, 1))
