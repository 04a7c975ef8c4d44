"""Tests of Inductor's worker processes and caches, and of the modules that each process loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys, torch
from torch._dynamo.utils import counters

def several(x):
    return x.sin() + 1, x.sum(1), x.softmax(0)

x = torch.arange(1200.0).reshape(30, 40) / 1200
if "warm" in sys.argv:
    from torch._inductor.async_compile import AsyncCompile

    AsyncCompile.wait_pool_ready()
torch.testing.assert_close(torch.compile(several, backend="blockdsl")(x), several(x))
print(counters["inductor"]["fxgraph_cache_hit"], "blockdsl._native" in sys.modules)
"""


def run(tmp_path: Path, threads: int, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=300,
        env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"),
             "TORCHINDUCTOR_COMPILE_THREADS": str(threads)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_workers_compile_into_the_shared_cache(tmp_path: Path) -> None:
    # The binaries come from the workers; this process compiles nothing.
    assert run(tmp_path, 2, "warm") == ["0", "False"]
    assert run(tmp_path, 1) == ["1", "False"]


def test_one_process_compiles(tmp_path: Path) -> None:
    assert run(tmp_path, 1) == ["0", "True"]
    assert run(tmp_path, 1) == ["1", "False"]


def test_settings_are_inherited_at_process_start() -> None:
    program = "from blockdsl.torch_compile import inductor_configs; print(inductor_configs()['cpu_backend'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "triton\n"), done.stderr


FORKED = """
import os, torch

function = torch.compile(lambda x: (x.sin() + 1).softmax(1), backend="blockdsl")
x, y = torch.rand(30, 40), torch.rand(50, 30)
before, expected = function(x), (y.cos() * 2).sum(0)
child = os.fork()
if child == 0:
    # torch's own operations may wait for ever here, for threads that are the parent's.
    assert torch.equal(function(x), before)
    there = torch.compile(lambda x: (x.cos() * 2).sum(0), backend="blockdsl")(y)
    os._exit(0 if torch.allclose(there, expected, rtol=1e-4) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), torch.equal(function(x), before))
"""


def test_forked_child_runs_parent_kernels_and_compiles(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=300,
        env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path), "TORCHINDUCTOR_COMPILE_THREADS": "1"},
    )  # fmt: skip
    assert done.stdout.split() == ["0", "True"], done.stderr
