"""What ``@blockdsl.jit`` makes of a function where kernels are interpreted: a launch runs it as Python.

It has the face of ``JITFunction``, and refuses what that refuses. What the programs compute with, and what they may
touch, is interpreter's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from blockdsl.compiler import grids
from blockdsl.compiler import target as targets
from blockdsl.compiler.options import OPTIONS, CUDAOptions
from blockdsl.compiler.places import located
from blockdsl.compiler.refusals import check_parameters, refusal_of
from blockdsl.compiler.stand_ins import stood_for
from blockdsl.frontend.source import MISSING, KernelSource
from blockdsl.language.op import current_mode


class InterpretedFunction:
    """A kernel that runs in Python, program by program: ``BLOCKDSL_INTERPRET=1`` makes every kernel one.

    Attributes:
        fn: The Python function.
        source: Its source, parameters and identity.
        arg_names: The names of its parameters.
    """

    __name__: str
    __qualname__: str

    def __init__(self, fn: Callable[..., Any], unspecialized: Sequence[str | int] = ()) -> None:
        self.fn = fn
        self.source = KernelSource.of(fn)
        self.arg_names = tuple(parameter.name for parameter in self.source.parameters)
        functools.update_wrapper(self, fn, updated=())
        check_parameters(self.source, unspecialized)

    def __call__(self, *args: object, **kwargs: object) -> object:
        mode = current_mode()
        if mode is None:
            raise refusal_of(self.source, "no grid", None, None)
        return mode.call(self, args, kwargs)

    def __getitem__(self, grid: object) -> Callable[..., None]:
        return functools.partial(self._launch, grid)

    def run(self, *args: object, grid: object, warmup: bool = False, **kwargs: object) -> None:
        """Launches, or only checks: Triton's spelling of ``kernel[grid](...)``."""
        if warmup:
            self.warmup(*args, grid=grid, **kwargs)
        else:
            self._launch(grid, *args, **kwargs)

    def warmup(self, *args: object, grid: object = None, **kwargs: object) -> None:
        """Checks arguments, stand-ins for tensors among them, and options. Nothing is compiled, nothing runs."""
        from blockdsl import interpreter

        del grid
        # As in JITFunction's: a parameter of the kernel's own may have this name.
        wanted = None if "target" in self.arg_names else kwargs.pop("target", None)
        if wanted is not None:
            targets.parse(wanted)
        named = {name: stood_for(value) for name, value in kwargs.items()}
        bound = self._bound([stood_for(value) for value in args], named)
        located(interpreter.check, self.source, bound)

    def _launch(self, grid: object, /, *args: object, **kwargs: object) -> None:
        # It imports NumPy, which nobody else needs.
        from blockdsl import interpreter

        bound = self._bound(args, kwargs)
        located(interpreter.run, self.source, bound, self._sizes(grid, bound) if callable(grid) else grid)

    def _bound(self, args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object]:
        """The value of each parameter, as the launcher binds them."""
        if len(args) > len(self.arg_names):
            raise refusal_of(self.source, "too many", None, args[len(self.arg_names)])
        given = dict(zip(self.arg_names, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise refusal_of(self.source, "twice", name, value)
            if name not in self.arg_names and name not in OPTIONS:
                raise refusal_of(self.source, "unknown", name, value)
            given[name] = value
        defaults = {each.name: each.default for each in self.source.parameters if each.default is not MISSING}
        for name in self.arg_names:
            if name not in given and name not in defaults:
                raise refusal_of(self.source, "missing", name, None)
        CUDAOptions.of({name: value for name, value in kwargs.items() if name not in self.arg_names})
        return {name: given.get(name, defaults.get(name)) for name in self.arg_names}

    def _sizes(self, grid: Callable[..., Any], bound: dict[str, object]) -> object:
        try:
            return grid(bound)
        except Exception as error:
            grids.explain(self.__name__, bound, error)
            raise

    def __repr__(self) -> str:
        return f"<blockdsl.jit interpreted kernel {self.__module__}.{self.__qualname__}>"
