"""Launchable wrapper that ``@autotune`` and ``@heuristics`` put around a kernel."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from blockdsl import _runtime
from blockdsl.compiler.options import WITHOUT_EFFECT_ON_CPU
from blockdsl.errors import LaunchError, TuningError
from blockdsl.errors.source_locations import caller
from blockdsl.interpreted import InterpretedFunction
from blockdsl.jit import JITFunction
from blockdsl.launcher.errors import refusal
from blockdsl.tracebacks import border
from blockdsl.tracing import Traceable, traceable


class Layer(Traceable, ABC):
    """A kernel, or a layer around one, whose launches get further arguments.

    Attributes:
        fn: The wrapped kernel or layer.
        base_fn: The kernel below all layers.
        arg_names: The names of its parameters.
    """

    def __init__(self, fn: Any, arg_names: Sequence[str], decorator: str) -> None:
        if not hasattr(fn, "arg_names") or not hasattr(fn, "run"):
            raise mistake(
                f"@{decorator} expects a kernel, got {type(fn).__name__} '{getattr(fn, '__name__', fn)}'",
                f"write @blockdsl.jit between @blockdsl.{decorator}(...) and the def",
            )
        self.fn = fn
        self.arg_names = list(arg_names)
        self.base_fn = fn
        while not isinstance(self.base_fn, (JITFunction, InterpretedFunction)) and hasattr(self.base_fn, "fn"):
            self.base_fn = self.base_fn.fn
        parameters = getattr(getattr(self.base_fn, "source", None), "parameters", ())
        self._further = next((each.name for each in parameters if each.variadic), None)
        self.__name__: str = getattr(self.base_fn, "__name__", type(fn).__name__)
        self.__doc__ = getattr(self.base_fn, "__doc__", None)
        self.__module__ = getattr(self.base_fn, "__module__", __name__)
        self.__wrapped__ = fn
        # Bound once, to keep launches short. A derived class of another library, like one of Triton's, may override
        # `run`, which launches then call.
        launch = self._launch if type(self).run is Layer.run else self._run
        self._bound: Callable[..., Any] = partial(_runtime.untraced, launch)

    @abstractmethod
    def _launch(self, grid: object, /, *args: Any, **kwargs: Any) -> Any:
        """Implements ``kernel[grid](...)``."""

    @traceable
    def __getitem__(self, grid: object) -> Callable[..., Any]:
        return partial(self._bound, grid)

    @border
    def run(self, *args: Any, grid: object, warmup: bool = False, **kwargs: Any) -> Any:
        """Launches, or only compiles: Triton's spelling of ``kernel[grid](...)``."""
        return self.warmup(*args, grid=grid, **kwargs) if warmup else self._launch(grid, *args, **kwargs)

    def _run(self, grid: object, /, *args: Any, **kwargs: Any) -> Any:
        return self.run(*args, grid=grid, warmup=False, **kwargs)

    @abstractmethod
    def warmup(self, *args: Any, grid: object = None, **kwargs: Any) -> Any:
        """Compiles without launching."""

    @border
    def __call__(self, *_args: object, **_kwargs: object) -> Any:
        raise refusal(self.__name__, self.arg_names, "no grid", None, None)

    def taken(self, count: int) -> tuple[str, ...]:
        """Returns the parameter of each of ``count`` positional arguments, of which ``*args`` takes all remaining ones.
        Excess arguments are omitted; the launch refuses them."""
        if self._further not in self.arg_names[:count]:
            return tuple(self.arg_names[:count])
        first = self.arg_names.index(self._further)
        return (*self.arg_names[:first], *[self._further] * (count - first))

    def named(self, args: Sequence[Any]) -> dict[str, Any]:
        """Returns positional arguments by name; those of ``*args`` are one tuple, as in the kernel."""
        named = dict(zip(self.taken(len(args)), args, strict=False))
        if self._further is not None:
            named[self._further] = tuple(args[self.arg_names.index(self._further) :])
        return named

    def twice(self, name: str, decorator: str) -> LaunchError:
        """Returns the error for an argument that both the caller and a layer pass."""
        error = LaunchError(
            f"kernel '{self.__name__}' got '{name}' twice: from the call, and from @{decorator}, which sets it",
            hint=f"leave {name} out of the call, or out of @{decorator}",
        )
        error.location = caller()
        return error

    def check_names(self, subject: str, names: Iterable[str], allowed: Iterable[str] = ()) -> None:
        """Raises TuningError for names that are no parameters of the kernel."""
        for name in names:
            if name in self.arg_names or name in allowed:
                continue
            raise unknown_name(f"{subject} '{name}', which is no parameter of kernel '{self.__name__}'", name,
                               self.arg_names, "its parameters are")  # fmt: skip

    def __repr__(self) -> str:
        return f"<blockdsl.{type(self).__name__} of {self.fn!r}>"


def expanded(fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the keyword arguments that affect the kernel below ``fn`` on a CPU; None if a layer of another library is
    in between."""
    named = dict(kwargs)
    while isinstance(fn, Layer):
        further = getattr(fn, "expand", None)
        if further is None:
            return None
        named, fn = further(args, named), fn.fn
    if not isinstance(fn, (JITFunction, InterpretedFunction)):
        return None
    return {name: value for name, value in named.items() if name in fn.arg_names or name not in WITHOUT_EFFECT_ON_CPU}


def mistake(message: str, hint: str | None = None) -> TuningError:
    """Returns an error with the line of the decorator, or of the launch."""
    error = TuningError(message, hint=hint)
    error.location = caller()
    return error


def unknown_name(message: str, name: str, known: Sequence[str], listing: str) -> TuningError:
    """Returns an error about an unknown name, with a suggestion of a similar one."""
    close = difflib.get_close_matches(name, known, n=1)
    return mistake(message, f"did you mean '{close[0]}'?" if close else f"{listing} {', '.join(known)}")
