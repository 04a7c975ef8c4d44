"""What ``@blockdsl.jit`` makes of a function where kernels are interpreted: a launch runs it as Python.

It has the face of ``JITFunction``. What the programs compute with, and what they may touch, is interpreter's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from blockdsl.compiler.options import OPTIONS
from blockdsl.compiler.refusals import refusal
from blockdsl.frontend.source import KernelSource
from blockdsl.language.op import current_mode


class InterpretedFunction:
    """A kernel that runs in Python, program by program: ``BLOCKDSL_INTERPRET=1`` makes every kernel one."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.source = KernelSource.of(fn)
        self.arg_names = tuple(parameter.name for parameter in self.source.parameters)
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__
        self._signature = inspect.signature(fn)

    def __call__(self, *args: object, **kwargs: object) -> object:
        mode = current_mode()
        return self.fn(*args, **kwargs) if mode is None else mode.call(self, args, kwargs)

    def run(self, *args: object, grid: object, warmup: bool = False, **kwargs: object) -> None:
        """Launches: Triton's spelling of ``kernel[grid](...)``. There is nothing to warm up."""
        if not warmup:
            self[grid](*args, **kwargs)

    def __getitem__(self, grid: object) -> Callable[..., None]:
        def launch(*args: object, **kwargs: object) -> None:
            from blockdsl import interpreter

            named = {key: value for key, value in kwargs.items() if key in self.arg_names or key not in OPTIONS}
            try:
                bound = self._signature.bind(*args, **named)
            except TypeError as error:
                reason = "missing" if "missing" in str(error) else "too many"
                name = str(error).rpartition("'")[0].rpartition("'")[2]
                raise refusal(self.__name__, self.arg_names, reason, name, args[-1:]) from None
            bound.apply_defaults()
            sizes = grid(bound.arguments) if callable(grid) else grid
            interpreter.run(self.source, bound.arguments, sizes)

        return launch
