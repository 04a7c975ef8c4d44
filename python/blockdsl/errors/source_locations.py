"""Source locations in host programs, for error messages."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import ParamSpec, TypeVar

import blockdsl
from blockdsl.errors import LaunchError, Location

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = os.path.join(os.path.abspath(blockdsl.__path__[0]), "")


def caller() -> Location | None:
    """Returns the innermost line outside of the package, such as the line of the launch."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code):
        frame = frame.f_back
    return None if frame is None else _place(frame.f_code, frame.f_lineno, frame.f_lasti)


def raise_location(error: BaseException) -> Location | None:
    """Returns the innermost line outside of the package in an error's traceback, or None."""
    trace: TracebackType | None = error.__traceback__
    location = None
    while trace is not None:
        if not _is_ours(trace.tb_frame.f_code):
            location = _place(trace.tb_frame.f_code, trace.tb_lineno, trace.tb_lasti)
        trace = trace.tb_next
    return location


def located(read: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Calls ``read``, and adds the caller's line to a LaunchError without a location."""
    try:
        return read(*args, **kwargs)
    except LaunchError as error:
        error.location = error.location or caller()
        raise


# Frames of Triton's runtime and compiler, which call this package.
_PASSED = tuple(os.path.join("", "triton", room, "") for room in ("runtime", "compiler"))


def _is_ours(code: CodeType) -> bool:
    file = code.co_filename
    # The outermost frames of `python -m blockdsl` are in runpy.
    is_between = file == runpy.run_module.__code__.co_filename
    return is_between or file.startswith(_PACKAGE) or any(directory in file for directory in _PASSED)


def _place(code: CodeType, line: int, instruction: int) -> Location:
    column, end = 1, None
    positions: Iterator[tuple[int | None, ...]] = getattr(code, "co_positions", lambda: iter(()))()
    for index, (first, last, start, stop) in enumerate(positions):
        if index == instruction // 2 and first is not None and start is not None:
            line, column = first, start + 1
            end = stop + 1 if stop is not None and first == last else None
    return Location(code.co_filename, line, column, end, code.co_name)
