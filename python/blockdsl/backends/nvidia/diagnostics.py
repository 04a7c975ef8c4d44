"""Parsing of diagnostics of Triton's C++ and of the assembler, with source locations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice


@dataclass(frozen=True)
class Printed:
    """One diagnostic, and its possible locations (file, line, column), the most likely first."""

    severity: str
    message: str
    locations: tuple[tuple[str, int, int], ...] = ()


_PLACED = re.compile(
    r'^(?:loc\(")?(?P<file>[^\n"]+?)"?:(?P<line>\d+):(?P<column>\d+)\)?: (?P<severity>\w+): (?P<text>.*)$'
)
_UNPLACED = re.compile(r"^(?:loc\(unknown\)|<unknown>:0|unknown): (?P<severity>\w+): (?P<text>.*)$")
_SEVERITIES = ("error", "warning", "note", "remark")


def printed(output: str) -> Iterator[Printed]:
    """Yields the diagnostics in an output."""
    for line in output.splitlines():
        found = _PLACED.match(line)
        if found and found["severity"] in _SEVERITIES:
            location = (found["file"], int(found["line"]), int(found["column"]))
            yield Printed(found["severity"], found["text"], (location,))
            continue
        found = _UNPLACED.match(line)
        if found and found["severity"] in _SEVERITIES:
            yield Printed(found["severity"], found["text"])


_ASSEMBLER = re.compile(r"^ptxas\S* .*, line (?P<line>\d+); (?P<severity>\w+)\s*: (?P<text>.*)$", re.MULTILINE)
_FILE = re.compile(r'^\s*\.file\s+(?P<number>\d+)\s+"(?P<directory>[^"]*)"(?:\s+"(?P<name>[^"]*)")?', re.MULTILINE)
_PLACE = re.compile(r"^\s*\.loc\s+(?P<number>\d+)\s+(?P<line>\d+)\s+(?P<column>\d+)")


def assembled(error: str, ptx: str) -> Iterator[Printed]:
    """Yields the assembler's errors about lines of ``ptx``, with source locations from its line table."""
    files = {found["number"]: "/".join(part for part in (found["directory"], found["name"]) if part)
             for found in _FILE.finditer(ptx)}  # fmt: skip
    lines = ptx.splitlines()
    for found in _ASSEMBLER.finditer(error):
        before = filter(None, map(_PLACE.match, reversed(lines[: int(found["line"])])))
        # Triton 3.9 gives some loads the next line's location; the right location precedes it.
        locations = [
            (files.get(match["number"], ""), int(match["line"]), int(match["column"])) for match in islice(before, 3)
        ]
        yield Printed(found["severity"], f"ptxas: {found['text']}", tuple(locations))
