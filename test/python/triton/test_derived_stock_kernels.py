"""Tests of overrides in classes derived from Triton's ``JITFunction``, at first and at later launches."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime import JITFunction


def fill(x, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(x + at, 1.0, mask=at < n)


class Subscripted(JITFunction):
    calls = 0

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        type(self).calls += 1
        return super().__getitem__(grid)


class Run(JITFunction):
    calls = 0

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        type(self).calls += 1
        return super().run(*args, grid=grid, warmup=warmup, **kwargs)


class Packing(JITFunction):
    """Overrides a part of Triton's launch."""

    calls = 0

    def _pack_args(self, *args: Any) -> Any:
        type(self).calls += 1
        return super()._pack_args(*args)

    def create_binder(self) -> Any:
        kernel_cache, key_cache, target, backend, binder = super().create_binder()

        def counted(*args: Any, **kwargs: Any) -> Any:
            type(self).calls += 1
            return binder(*args, **kwargs)

        return kernel_cache, key_cache, target, backend, counted


class Named(JITFunction):
    """Overrides no part of a launch."""

    def title(self) -> str:
        return self.__name__.title()


@pytest.mark.parametrize("kind", [Subscripted, Run, Packing])
def test_launch_calls_overridden_methods(kind: Any) -> None:
    kernel = kind(fill)
    for _ in range(20):
        kind.calls, x = 0, torch.zeros(8)
        kernel[(1,)](x, 8, B=8)
        assert x.sum() == 8
        assert kind.calls


def test_subclass_without_overrides_is_cached() -> None:
    kernel = Named(fill)
    for _ in range(2):
        kernel[(1,)](torch.zeros(8), 8, B=8)
    assert kernel._shortcut


TOOL = """
import sys
sys.path.insert(0, {path!r})
import torch, triton
from triton.runtime import JITFunction
calls, run = [], JITFunction.run

def traced(self, *args, **kwargs):
    calls.append(self)
    return run(self, *args, **kwargs)

JITFunction.run = traced
from test_derived_stock_kernels import fill
kernel = triton.jit(fill)
for _ in range(5):
    kernel[(1,)](torch.zeros(8), 8, B=8)
print(len(calls))
"""


def test_tool_that_was_patched_first() -> None:
    path = __file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", TOOL.format(path=path)], capture_output=True, text=True, timeout=300)
    assert done.stdout == "5\n", done.stderr


def test_a_tuned_kernel_of_a_derived_class() -> None:
    tuned = triton.autotune([triton.Config({"B": 8})], key=["n"])(Run(fill))
    for _ in range(3):
        Run.calls, x = 0, torch.zeros(8)
        tuned[(1,)](x, 8)
        assert x.sum() == 8
        assert Run.calls
