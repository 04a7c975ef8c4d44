"""The source of functions that Python keeps none of: what `exec` was given, `python -c`, and a file on standard input.

A text is the source if Python makes the very same code of it.
"""

from __future__ import annotations
import __future__

import hashlib
import inspect
import linecache
import os
import stat
import sys
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


def find(function: Callable[..., Any]) -> tuple[str, int, str] | None:
    """A function's text from the first decorator on, its line, and a name under which messages find the whole."""
    code = function.__code__
    for text in _texts(code):
        if any(each == code for each in _codes_of(text, code)):
            lines = text.splitlines(keepends=True)
            name = f"{code.co_filename[:-1]} {hashlib.sha256(text.encode()).hexdigest()[:8]}>"
            linecache.cache[name] = (len(text), None, lines, name)
            return "".join(inspect.getblock(lines[code.co_firstlineno - 1 :])), code.co_firstlineno, name
    return None


def _texts(code: CodeType) -> Iterator[str]:
    """Texts that may have the function."""
    if code.co_filename == "<stdin>":
        yield from _standard_input()
    if "-c" in sys.orig_argv[:-1]:
        yield sys.orig_argv[sys.orig_argv.index("-c") + 1]
    frame = inspect.currentframe()
    while frame is not None:
        for value in (*frame.f_locals.values(), *frame.f_code.co_consts):
            if isinstance(value, str) and f"def {code.co_name}" in value:
                yield value
        frame = frame.f_back


def _standard_input() -> Iterator[str]:
    # A pipe is read once, and was; a file can be opened again.
    if stat.S_ISREG(os.fstat(0).st_mode) and os.path.exists("/proc/self/fd/0"):
        with open("/proc/self/fd/0", encoding="utf-8") as file:
            yield file.read()


def _codes_of(text: str, code: CodeType) -> Iterator[CodeType]:
    """Everything that Python makes of a text, with the features that were on."""
    try:
        made = compile(text, code.co_filename, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        return
    found = [made]
    for each in found:
        yield each
        found += [constant for constant in each.co_consts if isinstance(constant, CodeType)]
