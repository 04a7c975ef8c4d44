"""Kernels of thousands of ops compile and run on threads with small stacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from benchmarks.long_kernels import arithmetic, exchanges, stored_indices, stores

PROGRAM = Path(__file__).parent / "large_kernels_program.py"


def run(*arguments: object) -> str:
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    return done.stdout.strip() if done.returncode == 0 else f"ended with {done.returncode}: {done.stderr}"


@pytest.mark.parametrize(("kernel", "size"), [("chained", 3000), ("chained", 10_000)])
def test_compiler_recurses_on_its_own_stack(kernel: str, size: int) -> None:
    assert run(kernel, size, 512) == "right"


@pytest.mark.parametrize(("kernel", "size"), [("flipped", 9), ("alive", 64)])
def test_large_live_blocks_do_not_use_the_stack(kernel: str, size: int) -> None:
    assert run(kernel, size, 512) == "right"


@pytest.mark.parametrize(
    ("kernel", "size"), [("stored", 1000), ("stored_over", 2000), ("hashed", 500), ("summed", 150), ("branched", 1000)]
)
def test_split_kernels_compute_the_same(kernel: str, size: int) -> None:
    assert run(kernel, size, 512) == "right"


def test_loop_nests_are_split_contiguously() -> None:
    """If each nest recomputed it, four times the steps would be sixteen times the code."""
    compiled = [stored_indices.warmup(None, torch.int32, BLOCK=64, N=steps, grid=(1,)) for steps in (96, 384)]
    short, long = (len(each.asm["loops"]) for each in compiled)
    assert long < 6 * short


def test_long_kernels_are_split() -> None:
    """The length of functions is bounded, because LLVM's time is quadratic in it, and so are values in registers."""
    lengths = []
    for kernel in (stores, arithmetic, stored_indices):
        text = kernel.warmup(torch.float32, torch.float32, BLOCK=64, N=3000, grid=(1,)).asm["llir"]
        functions = re.findall(r"^define [^\n]*\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
        lengths.append([len(functions), max(len(body.splitlines()) for body in functions)])
    assert all(count > 4 and longest < 3000 for count, longest in lengths), lengths


def test_steps_of_a_network_are_compiled_once() -> None:
    """A loop for each bit within a vector and one for the others, however many steps there are."""
    texts = [
        exchanges.warmup(torch.float32, torch.float32, BLOCK=64, N=steps, grid=(1,)).asm["llir"] for steps in (50, 100)
    ]
    short, long = (text.count("!llvm.loop") for text in texts)
    assert short == long < 20
    assert all(text.count("call void @exchanges.programs.loops") > 40 for text in texts)


@blockdsl.jit
def stored_to_many(x, outs, BLOCK: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    for i in tl.static_range(N):
        tl.store(outs[i] + o, v + i)


def test_consumers_of_a_nest_are_limited() -> None:
    """A nest computes all values before it stores any, so more consumers would exceed the registers."""
    nests = [
        stored_to_many.warmup(torch.float32, (torch.float32,) * n, BLOCK=4096, N=n, grid=(1,))
        .asm["loops"].count("scf.for") for n in (32, 33, 96)
    ]  # fmt: skip
    assert nests == [1, 2, 3]
