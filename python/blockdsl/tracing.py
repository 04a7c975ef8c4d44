"""Launches under a tracer: the base class of launchable objects, and the registration of a graph recorder.

This module depends on no tracer. A plugin package registers its recorder on import, which ``import blockdsl`` does; the
recorder imports the tracer at the first traced launch.
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
    """Sets the recorder of traced launches."""
    global _recorder
    _recorder = recorder


class Traceable:
    """An object that is launched as ``kernel[grid](...)``, also while a graph is recorded."""

    def _traced_getitem(self, grid: object) -> Callable[..., Any]:
        """Replaces ``kernel[grid]`` under a tracer that runs Python symbolically."""
        return partial(self._record_call, grid)

    def _record_call(self, grid: object, /, *args: object, **kwargs: object) -> None:
        _recorder(self, grid, args, kwargs)

    def _record(self, grid: object, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
        """Replaces a launch with a tracer's tensor among its arguments."""
        _recorder(self, grid, args, kwargs)


def traceable(getitem: F) -> F:
    """Marks the ``__getitem__`` of a ``Traceable`` class: Dynamo traces the value of this attribute instead."""
    getitem._torchdynamo_inline = Traceable._traced_getitem  # type: ignore[attr-defined]
    return getitem


def is_traced(value: object) -> bool:
    """Returns true if an argument is a tracer's tensor, or a descriptor of one."""
    if hasattr(value, "block_shape"):
        return is_traced(getattr(value, "base", None))
    return type(value).__name__ in ("FakeTensor", "FunctionalTensor")
