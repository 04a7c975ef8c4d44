"""Tracebacks of the errors that leave the package: the user's frames, without the package's own.

An error of ours says by itself which line of a kernel or of a launch is wrong. The frames of the compiler between that
launch and the error tell a user nothing, and hide what does. They are removed where an error leaves the package: in
Python where a function is declared ``@border``, in C++ where a launch fails (lib/Bindings/Python/Tracebacks.cpp).
Exceptions of other classes, which may be the user's own or a defect of the package, keep everything.
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

# Dynamo looks up the defaults where it has found the function. In a function of `*args` they have no meaning to Python.
_ASSIGNED = (*functools.WRAPPER_ASSIGNMENTS, "__defaults__", "__kwdefaults__")


def trim(error: BaseException, handled: BaseException | None) -> None:
    """Removes the package's frames from the traceback of an error that is about to leave the package.

    The exceptions that it was raised from are dropped with them, because its message says what they say. Only a
    ``CompilationError`` keeps its cause, which a report of a defect needs. ``BLOCKDSL_FULL_TRACEBACK=1`` keeps all.

    Args:
        error: Any exception; one that is no BlockdslError is left as it is.
        handled: The exception that the caller of the package was handling, or None: the context it then has.
    """
    if not isinstance(error, BlockdslError) or knobs.FULL_TRACEBACK.get():
        return
    error.__traceback__ = _without_ours(error.__traceback__)
    if isinstance(error, CompilationError) and error.__cause__ is not None:
        return
    error.__cause__ = None
    error.__context__ = None if handled is error else handled
    # Assigning a cause has set it, also where that was None.
    error.__suppress_context__ = False


def border(function: Callable[P, R]) -> Callable[P, R]:
    """Declares that errors leave the package through ``function``, which a user's program calls.

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
                # A bare `raise` would bring back the traceback that the error was caught with.
                raise error from error.__cause__
            raise

    # torch's Dynamo traces this instead.
    call._torchdynamo_inline = function  # type: ignore[attr-defined]
    return call


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """The entries of a traceback that are not the package's, nor the standard library's where the package calls it."""
    kept: list[TracebackType] = []
    is_inside = False
    while trace is not None:
        package = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        is_inside = is_inside or package in _PACKAGES
        if package not in _PACKAGES and not (is_inside and package in sys.stdlib_module_names):
            kept.append(trace)
        trace = trace.tb_next
    result: TracebackType | None = None
    for entry in reversed(kept):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result
