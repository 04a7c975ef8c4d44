"""Correction of file names in errors of stock kernels from Triton's cache.

Triton's key of a kernel contains the first line of each of its functions but not the file, so equal kernels in two
copies of a program share an entry: the cached text, and thus a message, may contain the name of the other copy.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any

from blockdsl.errors import BlockdslError, Location, printable


def name_current_files(error: BlockdslError, function: Any) -> None:
    """Replaces files in the locations of an error of a launch of ``function``, which is a ``JITFunction``."""
    extents = [extent for each in _transitive_callees(function) for extent in _extent(each)]
    if error.location is not None:
        error.location = _current(error.location, extents)
    error.calls = tuple(_current(call, extents) for call in error.calls)


def _current(location: Location, extents: list[tuple[str, int, int]]) -> Location:
    files = {file for file, first, end in extents if first <= location.line < end}
    if location.file in files:
        return location
    if len(files) > 1:
        files = {file for file in files if os.path.basename(file) == os.path.basename(location.file)}
    return replace(location, file=files.pop()) if len(files) == 1 else location


def _extent(function: Any) -> Iterator[tuple[str, int, int]]:
    """Yields the file, the first line and the line after the last of a function, if Triton has them."""
    lines, first = getattr(function, "raw_src", None), getattr(function, "starting_line_number", None)
    if isinstance(lines, list) and isinstance(first, int):
        yield printable(function.fn.__code__.co_filename), first, first + len(lines)


def _transitive_callees(function: Any) -> list[Any]:
    """Returns a kernel and Triton's jit functions that it names, directly or through others."""
    found = [function]
    for each in found:
        for value in _global_values(each.fn):
            is_function = isinstance(getattr(value, "fn", None), FunctionType) and hasattr(value, "raw_src")
            if is_function and all(value is not known for known in found):
                found.append(value)
    return found


def _global_values(function: FunctionType) -> Iterator[Any]:
    """Yields the values of the names in a function's code, and of attributes of modules."""
    code = function.__code__
    for name in code.co_names:
        value = function.__globals__.get(name)
        yield value
        if isinstance(value, ModuleType):
            yield from (vars(value).get(attribute) for attribute in code.co_names)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # An empty cell.
            continue
