"""``@heuristics``: values of parameters that are computed from the other arguments, at every launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from blockdsl.autotuner.layer import Layer, mistake
from blockdsl.compiler.options import OPTIONS
from blockdsl.tracebacks import border

Rule = Callable[[dict[str, Any]], Any]


class Heuristics(Layer):
    """A kernel some of whose parameters are computed.

    Attributes:
        values: For each computed parameter a function of the other arguments.
    """

    def __init__(self, fn: Any, arg_names: Sequence[str], values: Mapping[str, Rule]) -> None:
        super().__init__(fn, arg_names, "heuristics")
        if not isinstance(values, Mapping):
            raise mistake(
                f"@heuristics expects a dict of functions, got {type(values).__name__}",
                'write @blockdsl.heuristics({"EVEN": lambda args: args["n"] % 64 == 0})',
            )
        self.check_names("@heuristics computes", values, OPTIONS)
        for name, rule in values.items():
            if not callable(rule):
                raise mistake(
                    f"@heuristics computes '{name}' by a function of the arguments, got {type(rule).__name__} {rule!r}",
                    f'write "{name}": lambda args: {rule!r}',
                )
        self.values = dict(values)

    def expand(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the keyword arguments with the computed ones added; each rule gets the results of earlier rules."""
        named = {**self.named(args), **kwargs}
        result = dict(kwargs)
        for name, rule in self.values.items():
            result[name] = named[name] = rule(named)
        return result

    def _launch(self, grid: object, /, *args: Any, **kwargs: Any) -> Any:
        for name in self.values:
            if name in self.taken(len(args)):
                raise self.twice(name, "heuristics")
        return self.fn[grid](*args, **self.expand(args, kwargs))

    @border
    def warmup(self, *args: Any, grid: object = None, **kwargs: Any) -> Any:
        return self.fn.warmup(*args, grid=grid, **self.expand(args, kwargs))


def heuristics(values: Mapping[str, Rule]) -> Callable[[Any], Heuristics]:
    """Computes some of a kernel's parameters from its other arguments, at every launch.

    Args:
        values: For each such parameter, or option such as ``num_warps``, a function that takes the arguments by name.
            A value that the caller passes by keyword is overwritten, as in Triton.

    Example:
        @blockdsl.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
        @blockdsl.jit
        def scale(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr): ...
    """
    return border(lambda fn: Heuristics(fn, getattr(fn, "arg_names", ()), values))
