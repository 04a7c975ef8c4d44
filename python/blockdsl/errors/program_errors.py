"""Error messages for programs of a launch: failed assertions, and accesses outside of an argument.

The launcher finds such accesses by the formulas that the compiler keeps with a kernel (lib/Runtime/AccessCheck.cpp).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blockdsl.errors import KernelAssertionError, LaunchError, Location
from blockdsl.errors.launch_errors import memory_of
from blockdsl.errors.source_locations import caller

Place = tuple[str, int, int, int, str, Sequence[str]]
"""A location as the compiler gives it: file, line, column, end column, function, and the locations of its calls."""

Memory = tuple[int, int]
"""The address of the first byte, and the address after the last."""

_MESSAGE = re.compile(r"(.*?)(?:\n  ([^\n]+):(\d+):(\d+))?", re.DOTALL)
"""A failed assertion's message: its text, and the file, line and column that the compiler adds."""

_VERBS = {"load": "loads", "store": "stores to", "atomic": "updates"}


def failed_assertion(kernel: str, message: str | None, program: tuple[int, int, int]) -> KernelAssertionError:
    """Returns the error of the first failed ``device_assert``. The message ends with the source location, if known."""
    match = _MESSAGE.fullmatch(message or "")
    assert match is not None, "every part of the pattern is optional"
    text, file, line, column = match.groups()
    return KernelAssertionError(
        f"{text or 'device_assert'} failed in program {program} of kernel '{kernel}'",
        location=Location(file, int(line), int(column), function=kernel) if file else None,
        hint="what the kernel has stored so far is only a part of its result",
    )


@dataclass(frozen=True)
class Outside:
    """An access outside of the memory behind an argument.

    Attributes:
        kind: ``load``, ``store`` or ``atomic``.
        offset: Bytes from the argument's pointer to the element.
        size: Bytes of the element.
        program: The program that makes the access.
        index: The element's index in the accessed block; empty for a scalar.
        numbers: The arguments that the offset and the mask depend on, by name.
    """

    kind: str
    offset: int
    size: int
    program: tuple[int, int, int]
    index: tuple[int, ...]
    numbers: Mapping[str, object]


def outside(
    kernel: str, name: str, value: Any, pointer: int, found: Outside, memory: Memory, place: Place | None
) -> LaunchError:
    """Returns the error, located at the access. ``pointer`` is the address that the kernel gets for the argument."""
    element, rest = divmod(found.offset, found.size)
    where = f"{found.offset} bytes behind the beginning" if rest else f"element {element}"
    extent = _extent(value, pointer, found, memory)
    location, calls = _location(kernel, place)
    return LaunchError(
        f"kernel '{kernel}' {_VERBS[found.kind]} {where} of argument '{name}', which has {extent}",
        location=location,
        calls=calls,
        hint=f"program {found.program} does so{_at(found.index)}{_with(found.numbers)}; {_remedy(name, found)}",
    )


def _extent(value: Any, pointer: int, found: Outside, memory: Memory) -> str:
    """Describes the elements of an argument, and those of its storage if they differ."""
    first, last = (memory[0] - pointer) // found.size, (memory[1] - pointer) // found.size - 1
    memory_object = memory_of(value)
    count = memory_object.numel() if hasattr(memory_object, "numel") else getattr(memory_object, "size", None)
    if not isinstance(count, int):
        count = last + 1
    text = f"{count} element{'' if count == 1 else 's'}"
    is_whole = first == 0 and last == count - 1
    return text if is_whole or memory[0] == memory[1] else f"{text} in a storage of elements {first} to {last}"


def _at(index: tuple[int, ...]) -> str:
    return f" at {list(index)} of its block" if index else ""


def _with(numbers: Mapping[str, object]) -> str:
    return f", with {', '.join(f'{name}={value}' for name, value in numbers.items())}" if numbers else ""


def _remedy(name: str, found: Outside) -> str:
    if found.numbers or not found.index:
        return f"pass numbers and a grid that fit '{name}', or a larger '{name}'"
    return f"give the access a mask, such as mask=offsets < n, or pass a larger '{name}'"


def _location(kernel: str, place: Place | None) -> tuple[Location | None, tuple[Location, ...]]:
    if place is None or not place[0] or not place[1]:
        return caller(), ()
    file, line, column, end, function, callers = place
    calls = []
    for text in callers:
        calling, number, position = text.rsplit(":", 2)
        calls.append(Location(calling, int(number), int(position)))
    return Location(file, line, column, end if end > column else None, function or kernel), tuple(calls)
