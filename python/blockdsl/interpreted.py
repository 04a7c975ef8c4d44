"""Interpreted kernels: objects of ``@blockdsl.jit`` whose launches run the function as Python.

``InterpretedFunction`` has the interface of ``JITFunction`` and refuses the same arguments. The package ``interpreter``
implements the programs' values and memory.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NoReturn, SupportsIndex

from blockdsl import _runtime
from blockdsl.compiler import target as targets
from blockdsl.compiler.kernel_info import KernelInfo
from blockdsl.compiler.options import CUDAOptions
from blockdsl.compiler.preloading import read_back
from blockdsl.errors.source_locations import located
from blockdsl.frontend.source import KernelSource
from blockdsl.language.op import current_mode
from blockdsl.launcher import arguments, torch_fields
from blockdsl.launcher.errors import explain_grid, refusal_of
from blockdsl.launcher.hooks import add_hook
from blockdsl.launcher.mock_tensors import resolve_mock
from blockdsl.launcher.parameters import check_parameters, parameter_rows
from blockdsl.tracebacks import border
from blockdsl.tracing import Traceable, is_traced, traceable


class _Reader(_runtime.Launcher):
    """Binds and checks arguments as a launch of a compiled kernel does."""

    def __init__(self, source: KernelSource) -> None:
        self.source = source
        super().__init__(parameter_rows(source))

    def _refuse(self, reason: str, name: str | None, value: object) -> NoReturn:
        raise refusal_of(self.source, reason, name, value)


class InterpretedFunction(Traceable, KernelInfo):
    """A kernel that runs in Python, program by program. ``BLOCKDSL_INTERPRET=1`` interprets every kernel.

    Attributes:
        fn: The Python function.
        source: Its source, parameters and identity.
        arg_names: The names of its parameters.
    """

    __name__: str
    __qualname__: str
    _is_compile_time = True

    def __init__(
        self, fn: Callable[..., Any], unspecialized: Sequence[str | int] = (), unaligned: Sequence[str | int] = ()
    ) -> None:
        self.fn = fn
        self._do_not_specialize = tuple(unspecialized)
        self._do_not_specialize_on_alignment = tuple(unaligned)
        self.source = KernelSource.of(fn)
        self.arg_names = [parameter.name for parameter in self.source.parameters]
        functools.update_wrapper(self, fn, updated=())
        check_parameters(self.source)
        self._unspecialized = {
            parameter.name: parameter.annotation
            for index, parameter in enumerate(self.source.parameters)
            if {parameter.name, index} & set(unspecialized)
        }
        self._reader = _Reader(self.source)
        self.pre_run_hooks: list[Callable[..., object]] = []

    @border
    def add_pre_run_hook(self, hook: Callable[..., object]) -> None:
        """Adds a function that is called before each launch, with the launch's arguments."""
        add_hook(self.pre_run_hooks, hook)

    @border
    def __call__(self, *args: object, **kwargs: object) -> object:
        mode = current_mode()
        if mode is None:
            raise refusal_of(self.source, "no grid", None, None)
        return mode.call(self, args, kwargs)

    @traceable
    def __getitem__(self, grid: object) -> Callable[..., None]:
        return functools.partial(_runtime.untraced, self._launch, grid)

    @border
    def run(self, *args: object, grid: object, warmup: bool = False, **kwargs: object) -> None:
        """Launches, or only checks: Triton's spelling of ``kernel[grid](...)``."""
        if warmup:
            self.warmup(*args, grid=grid, **kwargs)
        else:
            self[grid](*args, **kwargs)

    @border
    def warmup(self, *args: object, grid: object = None, **kwargs: object) -> None:
        """Checks arguments, including mock tensors, and options. Nothing is compiled, and no program runs."""
        del grid
        # The kernel may have a parameter of this name.
        target = None if "target" in self.arg_names else kwargs.pop("target", None)
        if target is not None:
            targets.parse(target)
        named = {name: resolve_mock(value) for name, value in kwargs.items()}
        self._bound([resolve_mock(value) for value in args], named)

    @border
    def preload(self, specialization_data: str) -> None:
        """Checks the specialization data that a hook got. Nothing is compiled.

        Raises:
            LaunchError: The data is another kernel's, or contains a constant without a text form.
        """
        located(read_back, f"{self.fn.__module__}.{self.fn.__qualname__}", specialization_data)

    def _launch(self, grid: object, /, *args: object, **kwargs: object) -> None:
        if any(map(is_traced, (*args, *kwargs.values()))):
            self._record(grid, args, kwargs)
            return
        # Imported on use: it imports NumPy, which compiled kernels do not need.
        from blockdsl import interpreter

        bound = self._bound(args, kwargs)
        for hook in list(self.pre_run_hooks):
            hook(*args, **kwargs)
        sizes = _extents(self.source, self._sizes(grid, bound) if callable(grid) else grid)
        # An unspecialized parameter is a run-time scalar even if its value is 1.
        scalars = {
            name: interpreter.scalar(1, annotation)
            for name, annotation in self._unspecialized.items()
            if isinstance(bound[name], SupportsIndex) and bound[name] == 1
        }
        mode = located(interpreter.run, self.source, bound | scalars, sizes)
        for segment in mode.memory.segments:
            if segment.is_stored:
                torch_fields.increment_version(getattr(segment.owner, "base", segment.owner))

    def _bound(self, args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object]:
        """Returns the value of each parameter, by name."""
        values, attributes = self._reader._describe(*args, **kwargs)
        arguments.specialize(self.source.parameters, values, attributes, self._reader._refuse)
        CUDAOptions.of({name: value for name, value in kwargs.items() if name not in self.arg_names})
        return dict(zip(self.arg_names, values, strict=False))

    def _sizes(self, grid: Callable[..., Any], bound: dict[str, object]) -> object:
        try:
            return grid(bound)
        except Exception as error:
            explain_grid(self.__name__, bound, error)
            raise

    def __repr__(self) -> str:
        return f"<blockdsl.jit interpreted kernel {self.__module__}.{self.__qualname__}>"


def _extents(source: KernelSource, grid: object) -> tuple[int, int, int]:
    """Returns a grid as three sizes. Raises LaunchError for an invalid one."""
    sizes = grid if isinstance(grid, (tuple, list)) else (grid,)
    fit = 1 <= len(sizes) <= 3 and all(
        isinstance(size, SupportsIndex) and not isinstance(size, bool) and 0 <= int(size) < 2**31 for size in sizes
    )
    if not fit or prod(map(int, sizes)) >= 2**62:
        raise refusal_of(source, "grid", None, grid)
    x, y, z = (*map(int, sizes), *[1] * (3 - len(sizes)))
    return x, y, z
