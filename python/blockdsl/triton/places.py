"""Where in the kernel's source an error in Triton's text is: an op that we cannot parse has its place behind it."""

from __future__ import annotations

import re
from dataclasses import replace

from blockdsl.errors import BlockdslError, CompilationError, Location

_PLACE = re.compile(r"loc\((#loc\d*)\)")
_NAMED = re.compile(r'^(#loc\d*) = loc\((?:"[^"]*"\()?(#loc\d*)\)', re.MULTILINE)
_FILE = re.compile(r'^(#loc\d*) = loc\("((?:[^"\\]|\\.)*)":(\d+):(\d+)', re.MULTILINE)
_UNKNOWN = re.compile(r"custom op '(?:tt\.)?([\w.]+)' is unknown")


def _place(text: str, line: int, kernel: str) -> Location | None:
    """What the first op from a line of the text on says of itself."""
    found = _PLACE.search("\n".join(text.splitlines()[line - 1 :]))
    if found is None:
        return None
    others = {each[1]: each[2] for each in _NAMED.finditer(text)}
    files = {each[1]: Location(each[2], int(each[3]), int(each[4]), function=kernel) for each in _FILE.finditer(text)}
    at = found[1]
    while at in others:
        at = others.pop(at)
    return files.get(at)


def at_the_kernel(error: BlockdslError, text: str, origin: str, kernel: str) -> BlockdslError:
    """The same error, or one that says the same for people, at the kernel's line if it was in the text."""
    if error.location is None:
        return error
    if error.location.file != origin:
        # Triton's locations have the names of variables, where ours have those of functions.
        error.location = replace(error.location, function=None)
        return error
    place = _place(text, error.location.line, kernel) or error.location
    unknown = _UNKNOWN.search(error.message)
    if unknown is None:
        error.location = place
        return error
    return CompilationError(
        f"'{unknown[1]}' of Triton's cannot be compiled for a CPU",
        location=place,
        hint="it is for GPUs only, or came with a version of Triton that is newer than we are",
    )
