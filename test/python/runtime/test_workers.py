"""Tests of the choice of executors: torch's OpenMP workers, or our own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
import torch
from handwritten import spin

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def run_torch() -> None:
    """Runs an op on all of torch's threads."""
    torch.ones(1 << 20).add_(1)


def launch() -> None:
    counts = torch.zeros(400, dtype=torch.int32)
    spin[(400,)](counts, 1000)
    assert bool((counts == 1).all())


def test_worker_choice_is_kept(workers: str) -> None:
    run_torch()
    assert _runtime.get_workers() == workers
    launch()
    assert _runtime.get_workers() == workers


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="workers are 'auto', 'torch' or 'own', got 'gpu'"):
        _runtime.set_workers("gpu")
    with pytest.raises(ValueError, match="got 3"):
        _runtime.set_workers(3)  # type: ignore[arg-type]


def test_torch_workers_are_used_while_awake() -> None:
    """On a busy machine a region may be delayed, after which the thread uses our own pool for a while."""
    launch()
    for _ in range(100):
        run_torch()
        launch()
        run_torch()
        if _runtime.get_workers() == "torch":
            break
        time.sleep(0.1)
    else:
        pytest.fail("no launch after an op of torch would run on its workers")
    time.sleep(0.2)
    assert _runtime.get_workers() == "own"
    launch()


def test_more_threads_than_torch_use_own_workers() -> None:
    _runtime.set_workers("torch")
    try:
        _runtime.set_num_threads(3)
        assert _runtime.get_workers() == "own"
        launch()
        _runtime.set_num_threads(2)
        assert _runtime.get_workers() == "torch"
    finally:
        _runtime.set_num_threads(0)
        _runtime.set_workers("auto")


def test_each_python_thread_has_its_own_workers() -> None:
    _runtime.set_workers("torch")
    found = []

    def work() -> None:
        run_torch()
        found.append(_runtime.get_workers())
        launch()

    try:
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        _runtime.set_workers("auto")
    assert found == ["torch"] * 3


def test_forked_child_uses_own_workers(workers: str) -> None:
    run_torch()
    launch()
    child = os.fork()
    if child == 0:
        try:
            launch()
            os._exit(0 if _runtime.get_workers() == "own" else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Launches(torch.autograd.Function):
    """Launches in the backward pass, on whichever thread autograd runs it."""

    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        launch()
        return x * 2

    @staticmethod
    def backward(ctx: object, gradient: torch.Tensor) -> torch.Tensor:
        launch()
        return gradient * 2


def test_autograd_launches(workers: str) -> None:
    x = torch.ones(1 << 17, requires_grad=True)
    for _ in range(5):
        x.grad = None
        Launches.apply(x.exp().log()).sum().backward()
        assert x.grad is not None
        torch.testing.assert_close(x.grad, torch.full_like(x, 2))


@blockdsl.jit
def sort_rows(x, out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.sort(tl.load(x + at)))


def fill_the_stack() -> None:
    """A program, run by a test: a kernel with a large frame, on workers whose stacks are too small for it."""
    x = torch.rand(64, 8192)
    out = torch.empty_like(x)
    for _ in range(5):
        run_torch()
        kernel = sort_rows[(64,)](x, out, N=8192)
    assert kernel.stack_bytes > 64 << 10, kernel.stack_bytes
    assert torch.equal(out, x.sort().values)
    print(_runtime.get_workers())


@pytest.mark.parametrize(("stack", "expected"), [("64k", "own"), ("4m", "torch")])
def test_workers_with_small_stacks_are_not_used(stack: str, expected: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_STACKSIZE": stack}
    environment |= {"BLOCKDSL_WORKERS": "torch", "BLOCKDSL_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{expected}\n", "")


if __name__ == "__main__":
    fill_the_stack()
