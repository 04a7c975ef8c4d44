"""Source of functions without a file: code from `exec`, `python -c` and standard input.

A text is accepted as the source if it compiles to the same code object.
"""

from __future__ import annotations
import __future__

import contextlib
import ctypes
import hashlib
import inspect
import linecache
import os
import stat
import sys
import tokenize
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

# Programs are smaller; larger files contain data.
_LARGEST = 1 << 20

_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


def find(function: Callable[..., Any]) -> tuple[str, int, str] | None:
    """Returns a function's text from the first decorator on, its line, and the name of the whole text in linecache."""
    code = function.__code__
    for text in _texts(function):
        if any(each == code for each in _codes_of(text, code)):
            lines = text.splitlines(keepends=True)
            # Such as <stdin>, or the name that the program passed to `compile`.
            called = code.co_filename.strip("<>")
            name = f"<{called} {hashlib.sha256(text.encode()).hexdigest()[:8]}>"
            linecache.cache[name] = (len(text), None, lines, name)
            return "".join(inspect.getblock(lines[code.co_firstlineno - 1 :])), code.co_firstlineno, name
    return None


def hint(function: Callable[..., Any]) -> str:
    """Returns a hint for a function whose source is not found."""
    file = function.__code__.co_filename
    advice = "let Python read the file, as in 'python program.py' or 'python < program.py': "
    if file == "<stdin>" and os.isatty(0):
        return advice + "of what is typed nothing is kept without readline"
    if file == "<stdin>" and len(_buffer()) <= 1:
        return advice + "of a pipe that is read without a buffer (-u, PYTHONUNBUFFERED) nothing is kept"
    if file == "<stdin>":
        return advice + "of a pipe only what came last is kept, at most four thousand bytes"
    if _is_pipe(file):
        return advice + f"'{file}' is a pipe, of which nothing is kept"
    return "define kernels in a file or a notebook cell"


def _is_pipe(path: str) -> bool:
    """Returns whether a path names a pipe, as /dev/stdin may, or a shell's ``<(...)``."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _texts(function: Callable[..., Any]) -> Iterator[str]:
    """Yields texts that may contain the function."""
    code = function.__code__
    if code.co_filename == "<stdin>":
        yield from _standard_input(function)
    if "-c" in sys.orig_argv[:-1]:
        yield sys.orig_argv[sys.orig_argv.index("-c") + 1]
    frame = inspect.currentframe()
    while frame is not None:
        for value in (*frame.f_locals.values(), *frame.f_code.co_consts):
            if isinstance(value, str) and f"def {code.co_name}" in value:
                yield value
            elif isinstance(value, (str, os.PathLike)):
                yield from _file(value)
        frame = frame.f_back
    for argument in sys.argv:
        yield from _file(argument)


def _file(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yields the text of a file that a variable or argument names: a program may have read it for `exec`."""
    with contextlib.suppress(OSError, ValueError, SyntaxError):
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST:
            with tokenize.open(path) as file:
                yield file.read()


def _standard_input(function: Callable[..., Any]) -> Iterator[str]:
    if stat.S_ISREG(os.fstat(0).st_mode) and os.path.exists("/proc/self/fd/0"):
        with open("/proc/self/fd/0", encoding="utf-8") as file:
            yield file.read()
    elif os.isatty(0):
        yield from _parts(function, _typed())
    else:
        # A pipe cannot be read again, but its last part is still in C's buffer; a short program is there completely.
        yield from _parts(function, _buffer().partition(b"\0")[0].decode(errors="replace").splitlines(keepends=True))


def _typed() -> list[str]:
    """Returns the lines in readline's history of Python's prompt, which has no empty lines."""
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    return [f"{readline.get_history_item(at + 1)}\n" for at in range(readline.get_current_history_length())]


def _parts(function: Callable[..., Any], lines: list[str]) -> Iterator[str]:
    """Yields possible texts of a function from some lines of a program."""
    code = function.__code__
    # Bytecode of a call on a name depends on whether the text imports the name; at the prompt another text did.
    names = [name for name in code.co_names if isinstance(function.__globals__.get(name), ModuleType)]
    imports = {"", f"import {', '.join(names)}" if names else ""}
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("@", f"def {code.co_name}")):
            with contextlib.suppress(SyntaxError, IndexError, tokenize.TokenError):
                block = "".join(inspect.getblock(lines[at:]))
                indented = line[:1].isspace()
                above = "\n" * (code.co_firstlineno - 1 - indented) + "if True:\n" * indented
                yield from (each + above + block for each in imports)


def _buffer() -> bytes:
    """Returns the C library's buffer of standard input: the bytes read last, followed by remains of earlier reads. It
    is found through glibc's stream structure. Without buffering it has one byte."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return b""
    stream = ctypes.c_void_p.in_dll(library, "stdin").value
    if stream is None:
        return b""
    # struct _IO_FILE is part of glibc's ABI: _flags, the pointers for reading and writing, then the buffer.
    begin, end = (ctypes.c_void_p.from_address(stream + 8 * word).value for word in (7, 8))
    if not begin or not end:
        return b""
    return ctypes.string_at(begin, end - begin)


def _codes_of(text: str, code: CodeType) -> Iterator[CodeType]:
    """Yields all code objects of a text, compiled with the `__future__` features of ``code``."""
    try:
        made = compile(text, code.co_filename, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        return
    found = [made]
    for each in found:
        yield each
        found += [constant for constant in each.co_consts if isinstance(constant, CodeType)]
