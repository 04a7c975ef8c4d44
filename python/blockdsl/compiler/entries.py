"""Validation of a cache entry's metadata. cache.py checks the bytes.

A file with correct digests may still be forged, or come from a build with other numbering. Its metadata decides where
the launcher reads arguments and how much memory it allocates, so each value must be a possible result of compiling the
program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from blockdsl import _runtime
from blockdsl.compiler.cache import Fault

MOST_SCRATCH = 1 << 34
"""In bytes per thread; more cannot be allocated."""

Rule = Callable[[Any], bool]


def check(metadata: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Applies a rule to the value of each name.

    Raises:
        Fault: A name is missing, or its value breaks the rule.
    """
    for name, is_right in rules.items():
        if name not in metadata:
            raise Fault(f"its metadata have no '{name}'")
        if not is_right(metadata[name]):
            raise Fault(f"its metadata have a wrong '{name}', {str(metadata[name])[:40]!r}")


def check_cpu(
    metadata: Mapping[str, Any], name: str, slots: Sequence[tuple[int, str]], stack_limit: int, key: str | None = None
) -> None:
    """Checks the metadata of a kernel for the CPU.

    Args:
        metadata: The entry's metadata.
        name: The kernel's name.
        slots: The packing of its arguments, by the indices of the module's parameters.
        stack_limit: The most stack that a kernel may use, in bytes.
        key: The key of the entry, if it is known.

    Raises:
        Fault: Compiling the kernel cannot give this metadata.
    """
    numbers = {index for index, _ in slots}

    def is_parameter(value: Any) -> bool:
        return type(value) is int and value in numbers

    check(
        metadata,
        {
            "name": exactly(name),
            "key": has_type(str) if key is None else exactly(key),
            "cpu": has_type(str),
            "alias": has_type(str),
            "streaming_stores": has_type(bool),
            "scratch_bytes": within(0, MOST_SCRATCH),
            "stack_bytes": within(0, stack_limit),
            "slots": exactly([[index, encoding] for index, encoding in slots]),
            "written": list_of(is_parameter),
            "narrow": list_of(lambda pair: _is_pair(pair) and is_parameter(pair[0]) and type(pair[1]) is str),
            "accesses": lambda code: type(code) is list and _runtime.is_access_code(code, len(slots)),
            "access_places": list_of(_is_place),
            "remarks": list_of(_is_remark),
            "sources": list_of(lambda value: type(value) is list and [*map(type, value)] == [str, int, int]),
        },
    )


def exactly(expected: Any) -> Rule:
    """Returns a rule for one value, where ``True``, 1 and 1.0 differ."""
    return lambda value: repr(value) == repr(expected)


def has_type(kind: type) -> Rule:
    """Returns a rule for values of a type, without its subclasses: ``bool`` is no ``int``."""
    return lambda value: type(value) is kind


def within(low: int, high: int) -> Rule:
    """Returns a rule for integers from ``low`` to ``high``."""
    return lambda value: type(value) is int and low <= value <= high


def list_of(is_right: Rule) -> Rule:
    """Returns a rule for lists whose elements satisfy a rule."""
    return lambda value: type(value) is list and all(map(is_right, value))


def _is_place(value: Any) -> bool:
    """Returns whether this is a location as errors/program_errors.py takes it."""
    kinds = [str, int, int, int, str, list]
    return type(value) is list and [*map(type, value)] == kinds and all(map(_is_position, value[-1]))


def _is_remark(value: Any) -> bool:
    """Returns whether this is the kind, name, category, text and location of a remark."""
    return type(value) is list and [*map(type, value[:-1])] == [str] * 4 and _is_place(value[-1])


def _is_position(value: Any) -> bool:
    return type(value) is str and re.fullmatch(r".*:\d+:\d+", value, re.DOTALL) is not None


def _is_pair(value: Any) -> bool:
    return type(value) is list and len(value) == 2
