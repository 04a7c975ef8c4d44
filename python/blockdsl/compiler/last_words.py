"""What is said of a kernel if compiling it ends the process: its name, its place, and the stage that was being made."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_HINT = "; BLOCKDSL_COMPILE=process compiles in a process of its own"
_SAID = re.compile(r"^blockdsl: the process ends while kernel '.*' \(.*\) is compiled, in stage '(\w+)'", re.MULTILINE)


def with_last_words(
    kernel: str, place: str, stage: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Calls ``function``. If a signal such as that of a failing assertion ends the process meanwhile, or an exit in C++
    on this thread, standard error tells which kernel was compiled. Handlers of these signals run as ever, after that.

    Example:
        code = with_last_words("add", "add.py:12", "asm", cpu.emit_object, llvm_ir, target)
    """
    from blockdsl import _native

    text = f"blockdsl: the process ends while kernel '{kernel}' ({place}) is compiled, in stage '{stage}'{_HINT}\n"
    return _native.call_with_crash_report(text, functools.partial(function, *args, **kwargs))


def stage_said(output: str) -> str | None:
    """The stage that a process named in its last words."""
    found = _SAID.search(output)
    return None if found is None else found[1]
