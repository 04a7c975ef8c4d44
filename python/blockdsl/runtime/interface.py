"""Interface of launchable objects: ``kernel[grid](...)`` means ``kernel.run(..., grid=grid)``."""

from __future__ import annotations

import functools
from abc import ABC
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from blockdsl.autotuner import Autotuner, Heuristics
from blockdsl.interpreted import InterpretedFunction
from blockdsl.jit import JITFunction

T = TypeVar("T")


class KernelInterface(ABC, Generic[T]):
    """A base for classes that wrap a kernel. Kernels, including tuned ones, are virtual subclasses.

    Attributes:
        run: Implemented by the subclass: it takes the arguments, and ``grid`` and ``warmup`` by name.

    Example:
        class Counted(KernelInterface):
            def __init__(self, kernel):
                self.kernel, self.launches = kernel, 0

            def run(self, *args, grid, warmup, **kwargs):
                self.launches += 1
                return self.kernel.run(*args, grid=grid, warmup=warmup, **kwargs)
    """

    run: Callable[..., Any]

    def __getitem__(self, grid: object) -> Any:
        return functools.partial(self.run, grid=grid, warmup=False)

    def warmup(self, *args: object, grid: object, **kwargs: object) -> Any:
        """Compiles the kernel that a launch would run. Element types may replace tensors."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)


for _kind in (JITFunction, InterpretedFunction, Autotuner, Heuristics):
    KernelInterface.register(_kind)
