"""Classes that derive from ``JITFunction``: their ``__getitem__`` and ``run`` are what ``kernel[grid]`` calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.runtime import JITFunction, KernelInterface


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

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        type(self).calls += 1
        return super().run(*args, grid=grid, warmup=warmup, **kwargs)


class RunByClosure(JITFunction):
    calls = 0

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        def launch(*args: Any, **kwargs: Any) -> Any:
            type(self).calls += 1
            return self.run(*args, grid=grid, **kwargs)

        return launch


class Mixin:
    calls = 0

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        type(self).calls += 1
        return super().__getitem__(grid)  # type: ignore[misc,no-any-return]


class Mixed(Mixin, JITFunction):
    """Overrides by another class than the kernel's."""


class Derived(Subscripted):
    calls = 0


class DerivedRun(Run):
    calls = 0


class Both(Subscripted, Run):
    calls = 0


class Named(JITFunction):
    """Overrides no part of a launch."""

    calls = 0

    def title(self) -> str:
        return self.__name__.title()


# A launch of Both calls its own ``__getitem__``, which does not call ``run``.
@pytest.mark.parametrize("kind", [Subscripted, Run, RunByClosure, Mixed, Derived, DerivedRun, Both, Named])
def test_launch_calls_overridden_methods(kind: Any) -> None:
    kernel = kind(fill)
    # More often than CPython needs to specialize an operator.
    for count in range(1, 40):
        kind.calls, x = 0, torch.zeros(8)
        compiled = kernel[(1,)](x, count % 8 + 1, B=8)
        assert x.sum() == count % 8 + 1
        assert kind.calls == (kind is not Named)
        assert compiled.name == "fill"


def test_run_of_a_class_that_overrides_the_operator() -> None:
    kernel, x = Subscripted(fill), torch.zeros(8)
    Subscripted.calls = 0
    kernel.run(x, 8, B=8, grid=(1,))
    assert (x.sum(), Subscripted.calls) == (8, 0)


def test_warmup_of_a_class_that_overrides_run() -> None:
    kernel, x = Run(fill), torch.zeros(8)
    kernel.warmup(torch.float32, 8, B=8, grid=(1,))[(1,)](x, 8)
    assert x.sum() == 8


def test_a_class_is_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, grids, own = blockdsl.jit(fill), [], JITFunction.__getitem__

    def patched(self: Any, grid: object) -> Any:
        grids.append(grid)
        return own(self, grid)

    monkeypatch.setattr(JITFunction, "__getitem__", patched)
    x = torch.zeros(8)
    kernel[(1,)](x, 8, B=8)
    assert (x.sum(), grids) == (8, [(1,)])


def test_a_wrapper() -> None:
    class Counted(KernelInterface):
        def __init__(self, kernel: Any) -> None:
            self.kernel, self.launches = kernel, 0

        def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            self.launches += 1
            return self.kernel.run(*args, grid=grid, warmup=warmup, **kwargs)

    counted = Counted(Run(fill))
    Run.calls = 0
    for _ in range(20):
        x = torch.zeros(8)
        counted[(1,)](x, 8, B=8)
        assert x.sum() == 8
    assert counted.launches == Run.calls == 20


def test_a_graph_records_a_derived_kernel() -> None:
    compiled = torch.compile(launch_named, fullgraph=True)
    assert compiled(torch.zeros(8)).sum() == 8


NAMED = Named(fill)


def launch_named(x: torch.Tensor) -> torch.Tensor:
    NAMED[(1,)](x, 8, B=8)
    return x
