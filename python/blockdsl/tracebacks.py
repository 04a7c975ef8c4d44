"""Removal of the package's frames from tracebacks of its errors.

The message of a BlockdslError contains the wrong line of the kernel or launch. The compiler's frames between the launch
and the error are of no use for users and hide the relevant ones. They are removed when an error leaves the package: in
Python in functions declared ``@border``, in C++ where a launch fails (lib/Bindings/Python/Tracebacks.cpp). Exceptions
of other classes, which may be the user's or a defect of the package, keep all frames.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

from . import knobs
from .errors import BlockdslError, CompilationError

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGES = ("blockdsl", "blockdsl_triton")

# Dynamo reads the defaults from the wrapper. Python ignores them there, as the wrapper takes `*args`.
_ASSIGNED = (*functools.WRAPPER_ASSIGNMENTS, "__defaults__", "__kwdefaults__")


def trim(error: BaseException, handled: BaseException | None) -> None:
    """Removes the package's frames from the traceback of an error that is about to leave the package.

    Its causes are dropped, too, because its message contains their information. Only a ``CompilationError`` keeps its
    cause, which a report of a defect needs. ``BLOCKDSL_FULL_TRACEBACK=1`` keeps everything.

    Args:
        error: Any exception; only a BlockdslError is changed.
        handled: The exception that the caller of the package was handling, or None. It becomes the error's context.
    """
    if not isinstance(error, BlockdslError) or knobs.FULL_TRACEBACK.get():
        return
    error.__traceback__ = _without_ours(error.__traceback__)
    if isinstance(error, CompilationError) and error.__cause__ is not None:
        return
    error.__cause__ = None
    error.__context__ = None if handled is error else handled
    # Assigning `__cause__`, even None, has set `__suppress_context__`.
    error.__suppress_context__ = False


def border(function: Callable[P, R]) -> Callable[P, R]:
    """Declares that user programs call ``function``, so that errors leave the package through it.

    Example:
        @border
        def compile(src, signature): ...
    """

    @functools.wraps(function, assigned=_ASSIGNED)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        handled = sys.exc_info()[1]
        try:
            return function(*args, **kwargs)
        except BlockdslError as error:
            trim(error, handled)
            if sys.version_info < (3, 11):
                # A bare `raise` would restore the traceback with which the error was caught.
                raise error from error.__cause__
            raise

    # torch's Dynamo traces this function instead.
    call._torchdynamo_inline = function  # type: ignore[attr-defined]
    return call


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """Returns a traceback without entries of the package, and of the standard library where the package calls it."""
    remaining: list[TracebackType] = []
    is_inside = False
    while trace is not None:
        package = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        is_inside = is_inside or package in _PACKAGES
        if package not in _PACKAGES and not (is_inside and package in sys.stdlib_module_names):
            remaining.append(trace)
        trace = trace.tb_next
    result: TracebackType | None = None
    for entry in reversed(remaining):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result
