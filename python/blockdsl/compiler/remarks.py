"""Remarks of the compiler about a kernel: decisions that its author could change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from blockdsl.compiler.kept_locations import KeptLocations
from blockdsl.errors import Location


@dataclass(frozen=True)
class Remark:
    """A decision about a kernel, with its reason.

    Attributes:
        kind: ``passed`` for an optimization that was made, ``missed`` for one that was not.
        name: The decision, such as ``Materialized``.
        category: The part of the compiler that decides, such as ``storage``.
        text: The decision and its reason.
        location: The line of the kernel, or None.

    Example:
        for remark in compiled.remarks:
            print(remark)
    """

    kind: str
    name: str
    category: str
    text: str
    location: Location | None

    def __str__(self) -> str:
        where = "" if self.location is None else f"{self.location}: "
        return f"{where}{self.kind}: {self.text}"


def read(cached: Sequence[Sequence[Any]], locations: KeptLocations, kernel: str) -> tuple[Remark, ...]:
    """Returns the remarks of a cache entry, with the kernel's current lines."""
    remarks = []
    for kind, name, category, text, recorded in cached:
        file, line, column, end, function, _ = locations.place(recorded)
        location = Location(file, line, column, end or None, function=function or kernel) if line else None
        remarks.append(Remark(kind, name, category, text, location))
    return tuple(remarks)
