"""Locations that are kept with a compiled kernel, and the lines that its sources have now.

The disk cache finds a kernel by its text, in whichever lines of whichever file. Messages for accesses, assertions and
offsets name the lines of the compilation, from which the text may have moved since.
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
    """The functions of a kernel as they were when it was compiled, beside those of the program that it was found for.

    Args:
        kept: The functions' places then.
        current: Their places now, in the same order.
    """

    def __init__(self, kept: Sequence[Extent], current: Sequence[Extent]) -> None:
        # Two functions of one text may be one in another program: then the order tells nothing.
        known = [each[2] for each in kept] == [each[2] for each in current]
        pairs = zip(kept, current, strict=True) if known else ()
        self._moved = [(old, new) for old, new in pairs if tuple(old) != tuple(new)]

    def line(self, file: str, line: int) -> tuple[str, int]:
        """Returns the file and the line that a kept line has now."""
        for (old, first, count), (new, begin, _) in self._moved:
            if file == old and first <= line < first + count:
                return new, begin + line - first
        return file, line

    def position(self, text: str) -> str:
        """Returns what ``FILE:LINE`` or ``FILE:LINE:COLUMN`` is now."""
        found = _POSITION.fullmatch(text)
        if found is None:
            return text
        file, line = self.line(found[1], int(found[2]))
        return f"{file}:{line}{found[3] or ''}"

    def place(self, place: Place) -> Place:
        """Returns an access's location, with those of the calls that lead to it."""
        file, line = self.line(place[0], place[1])
        return (file, line, *place[2:5], [self.position(call) for call in place[5]])

    def location(self, location: Location) -> Location:
        """Returns the location of an error."""
        file, line = self.line(location.file, location.line)
        return replace(location, file=file, line=line)
