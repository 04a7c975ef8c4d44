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
    """A base for classes that stand between a launch and a kernel; kernels, tuned ones among them, count as such.

    Attributes:
        run: To be written by the class: it takes the arguments, ``grid`` and ``warmup`` by name.

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
        """Compiles what a launch would run. Of tensors, their element types may be given."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)


for _kind in (JITFunction, InterpretedFunction, Autotuner, Heuristics):
    KernelInterface.register(_kind)
