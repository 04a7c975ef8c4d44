"""Launches under a tracer: the base class of everything that is launched, and the registration of a graph recorder.

It knows no tracer. A plugin registers a recorder when its package is imported, as ``import blockdsl`` does; the package
is light, and the recorder imports the rest at the first launch that is traced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
Recorder = Callable[[Any, object, Sequence[object], Mapping[str, object]], None]
"""Adds a launch of a kernel with a grid and arguments to the graph that is being recorded."""

_recorder: Recorder


def register_recorder(recorder: Recorder) -> None:
    """Has each traced launch recorded by ``recorder``."""
    global _recorder
    _recorder = recorder


class Traceable:
    """Something launched as ``kernel[grid](...)``, also while a graph is recorded."""

    def _traced_getitem(self, grid: object) -> Callable[..., Any]:
        """Replaces ``kernel[grid]`` under a tracer that runs Python symbolically."""
        return partial(self._record_call, grid)

    def _record_call(self, grid: object, /, *args: object, **kwargs: object) -> None:
        _recorder(self, grid, args, kwargs)

    def _record(self, grid: object, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
        """Replaces a launch that has a tracer's tensor among its arguments."""
        _recorder(self, grid, args, kwargs)


def traceable(getitem: F) -> F:
    """Marks the ``__getitem__`` of a ``Traceable`` class: Dynamo reads this attribute, and traces its value instead."""
    getitem._torchdynamo_inline = Traceable._traced_getitem  # type: ignore[attr-defined]
    return getitem


def is_traced(value: object) -> bool:
    """Returns true if an argument is a tracer's tensor, or a descriptor of one."""
    if hasattr(value, "block_shape"):
        return is_traced(getattr(value, "base", None))
    return type(value).__name__ in ("FakeTensor", "FunctionalTensor")
