"""Mapping of a cached kernel's locations to the current lines of its sources.

The disk cache finds a kernel by its text, independent of file and line. Messages for accesses, assertions and offsets
contain the lines at the compilation, and the text may have moved since.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from blockdsl.compiler.program import Extent
from blockdsl.errors import Location
from blockdsl.errors.program_errors import Place

_POSITION = re.compile(r"(.*?):(\d+)(:\d+)?", re.DOTALL)


class KeptLocations:
    """Locations of a kernel's functions when it was compiled, and in the current program.

    Args:
        kept: The functions' locations when the kernel was compiled.
        current: Their current locations, in the same order.
    """

    def __init__(self, cached: Sequence[Extent], current: Sequence[Extent]) -> None:
        # Two functions with equal text may be one function in another program: then the orders do not correspond.
        known = [each[2] for each in cached] == [each[2] for each in current]
        pairs = zip(cached, current, strict=True) if known else ()
        self._moved = [(old, new) for old, new in pairs if tuple(old) != tuple(new)]

    def line(self, file: str, line: int) -> tuple[str, int]:
        """Returns the current file and line of a kept line."""
        for (old, first, count), (new, begin, _) in self._moved:
            if file == old and first <= line < first + count:
                return new, begin + line - first
        return file, line

    def position(self, text: str) -> str:
        """Returns the current text of a kept ``FILE:LINE`` or ``FILE:LINE:COLUMN``."""
        found = _POSITION.fullmatch(text)
        if found is None:
            return text
        file, line = self.line(found[1], int(found[2]))
        return f"{file}:{line}{found[3] or ''}"

    def place(self, location: Place) -> Place:
        """Returns the current location of an access, with those of its callers."""
        file, line = self.line(location[0], location[1])
        return (file, line, *location[2:5], [self.position(call) for call in location[5]])

    def location(self, location: Location) -> Location:
        """Returns the current location of an error."""
        file, line = self.line(location.file, location.line)
        return replace(location, file=file, line=line)
