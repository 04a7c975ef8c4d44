"""What Triton's C++ and the assembler said, as diagnostics with the places that our text told them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """One diagnostic. ``line`` is 0 where Triton knew no place."""

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0


_PLACED = re.compile(
    r'^(?:loc\(")?(?P<file>[^\n"]+?)"?:(?P<line>\d+):(?P<column>\d+)\)?: (?P<severity>\w+): (?P<text>.*)$'
)
_UNPLACED = re.compile(r"^(?:loc\(unknown\)|<unknown>:0|unknown): (?P<severity>\w+): (?P<text>.*)$")
_SEVERITIES = ("error", "warning", "note", "remark")


def printed(output: str) -> Iterator[Printed]:
    """The diagnostics among the lines of what was printed."""
    for line in output.splitlines():
        found = _PLACED.match(line)
        if found and found["severity"] in _SEVERITIES:
            yield Printed(found["severity"], found["text"], found["file"], int(found["line"]), int(found["column"]))
            continue
        found = _UNPLACED.match(line)
        if found and found["severity"] in _SEVERITIES:
            yield Printed(found["severity"], found["text"])


_ASSEMBLER = re.compile(r"^ptxas\S* .*, line (?P<line>\d+); (?P<severity>\w+)\s*: (?P<text>.*)$", re.MULTILINE)
_FILE = re.compile(r'^\s*\.file\s+(?P<number>\d+)\s+"(?P<directory>[^"]*)"(?:\s+"(?P<name>[^"]*)")?', re.MULTILINE)
_PLACE = re.compile(r"^\s*\.loc\s+(?P<number>\d+)\s+(?P<line>\d+)\s+(?P<column>\d+)")


def assembled(error: str, ptx: str) -> Iterator[Printed]:
    """What the assembler said of lines of ``ptx``, placed where its line table says they come from."""
    files = {found["number"]: "/".join(part for part in (found["directory"], found["name"]) if part)
             for found in _FILE.finditer(ptx)}  # fmt: skip
    lines = ptx.splitlines()
    for found in _ASSEMBLER.finditer(error):
        said = Printed(found["severity"], f"ptxas: {found['text']}")
        before = reversed(lines[: int(found["line"])])
        place = next((place for place in map(_PLACE.match, before) if place), None)
        if place is not None and place["number"] in files:
            file, line, column = files[place["number"]], int(place["line"]), int(place["column"])
            said = Printed(said.severity, said.message, file, line, column)
        yield said
