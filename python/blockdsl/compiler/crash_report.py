"""Crash reports of compilations: the kernel's name, its location and the current stage, if the process ends."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_HINT = "; BLOCKDSL_COMPILE=process compiles in a process of its own"
_REPORT = re.compile(
    r"^blockdsl: the process ends while kernel '.*' \(.*\) is compiled, in stage '(\w+)'", re.MULTILINE
)


def with_crash_report(
    kernel: str, location: str, stage: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Calls ``function``. If a fatal signal, or an exit in C++ on this thread, ends the process meanwhile, writes the
    report to standard error. Other handlers of these signals run afterwards.

    Example:
        code = with_crash_report("add", "add.py:12", "asm", cpu.emit_object, llvm_ir, target)
    """
    from blockdsl import _native

    text = f"blockdsl: the process ends while kernel '{kernel}' ({location}) is compiled, in stage '{stage}'{_HINT}\n"
    return _native.call_with_crash_report(text, functools.partial(function, *args, **kwargs))


def reported_stage(output: str) -> str | None:
    """Returns the stage in the crash report of a process, or None."""
    found = _REPORT.search(output)
    return None if found is None else found[1]
