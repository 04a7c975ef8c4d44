"""Source locations of errors in Triton's text, read from the `loc` that follows an op."""

from __future__ import annotations

import re
from dataclasses import replace

from blockdsl.errors import BlockdslError, CompilationError, Location

_PLACE = re.compile(r"loc\((#loc\d*)\)")
_NAMED = re.compile(r'^(#loc\d*) = loc\((?:"[^"]*"\()?(#loc\d*)\)', re.MULTILINE)
_FILE = re.compile(r'^(#loc\d*) = loc\("((?:[^"\\]|\\.)*)":(\d+):(\d+)', re.MULTILINE)
_UNKNOWN = re.compile(r"custom op '(?:tt\.)?([\w.]+)' is unknown")


def _location(text: str, line: int, kernel: str) -> Location | None:
    """Returns the location of the first op at or after a line of the text."""
    found = _PLACE.search("\n".join(text.splitlines()[line - 1 :]))
    if found is None:
        return None
    aliases = {each[1]: each[2] for each in _NAMED.finditer(text)}
    files = {each[1]: Location(each[2], int(each[3]), int(each[4]), function=kernel) for each in _FILE.finditer(text)}
    at = found[1]
    while at in aliases:
        at = aliases.pop(at)
    return files.get(at)


def at_the_kernel(error: BlockdslError, text: str, origin: str, kernel: str) -> BlockdslError:
    """Moves an error in the text to the kernel's line, and rewords messages about unknown ops."""
    if error.location is None:
        return error
    if error.location.file != origin:
        # Triton's locations contain names of variables, ours contain names of functions.
        error.location = replace(error.location, function=None)
        return error
    location = _location(text, error.location.line, kernel) or error.location
    unknown = _UNKNOWN.search(error.message)
    if unknown is None:
        error.location = location
        return error
    return CompilationError(
        f"'{unknown[1]}' of Triton's cannot be compiled for a CPU",
        location=location,
        hint="it is for GPUs only, or came with a version of Triton that is newer than we are",
    )
