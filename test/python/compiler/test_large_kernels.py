"""Kernels of thousands of ops compile and run on threads with small stacks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

import blockdsl
import blockdsl.language as tl

PROGRAM = Path(__file__).parent / "large_kernels_program.py"


def run(*arguments: object) -> str:
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout.strip() if done.returncode == 0 else f"ended with {done.returncode}: {done.stderr}"


@pytest.mark.parametrize(("kernel", "size"), [("chained", 3000), ("chained", 10_000)])
def test_the_compiler_recurses_on_a_stack_of_its_own(kernel: str, size: int) -> None:
    assert run(kernel, size, 512) == "right"


@pytest.mark.parametrize(("kernel", "size"), [("flipped", 9), ("alive", 64)])
def test_large_blocks_that_live_at_one_time_leave_the_stack_alone(kernel: str, size: int) -> None:
    assert run(kernel, size, 512) == "right"


@pytest.mark.parametrize(
    ("kernel", "size"), [("stored", 1000), ("stored_over", 2000), ("hashed", 500), ("summed", 150), ("branched", 1000)]
)
def test_kernels_cut_into_pieces_keep_their_meaning(kernel: str, size: int) -> None:
    assert run(kernel, size, 512) == "right"


@blockdsl.jit
def hashed(y, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = o + tl.program_id(0)
    for i in tl.static_range(N):
        v = (v * 5 + i) ^ (v >> 3)
        tl.store(y + i * BLOCK + o, v)


def test_a_nest_goes_on_where_the_last_one_ended() -> None:
    """Computed anew in each nest, four times the steps would be sixteen times the code."""
    short, long = (len(hashed.warmup(torch.int32, BLOCK=64, N=steps, grid=(1,)).asm["vector"]) for steps in (96, 384))
    assert long < 6 * short
