"""IR attributes as text, and the numbers of modes that kernels give as words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import TypeMismatchError

INPUT_PRECISIONS = {"tf32": 0, "tf32x3": 1, "ieee": 2, "bf16x3": 3, "bf16x6": 4}
ROUNDING_MODES = {"rtz": 0, "rtne": 1}


class PropagateNan:
    """NaN handling of ``maximum``, ``minimum`` and ``clamp``: NONE returns the other operand, ALL returns NaN."""

    NONE = 0
    ALL = 0xFFFF


def i32(value: int) -> str:
    """Returns a 32-bit integer attribute."""
    return f"{value} : i32"


def i32_array(values: Sequence[int]) -> str:
    """Returns a dense array of 32-bit integers."""
    return f"array<i32: {', '.join(map(str, values))}>" if values else "array<i32>"


def boolean(value: bool) -> str:
    """Returns a bool attribute."""
    return "true" if value else "false"


def string(value: str) -> str:
    """Returns a string attribute, quoted and escaped for IR text."""
    # The string may be the name of a file that is not valid UTF-8.
    data = value.encode("utf-8", "backslashreplace")
    escaped = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in data)
    return f'"{escaped}"'


def one_of(op: str, parameter: str, value: str, words: Sequence[str]) -> None:
    """Raises TypeMismatchError unless a word is among the allowed ones."""
    if value not in words:
        allowed = ", ".join(repr(word) for word in words if word)
        raise TypeMismatchError(f"'{op}' expects {parameter} to be one of {allowed}, got {value!r}")


def choice(op: str, parameter: str, value: str, table: Mapping[str, int]) -> str:
    """Returns the attribute for a word in a table. Raises TypeMismatchError for a word that is not in it."""
    one_of(op, parameter, value, tuple(table))
    return i32(table[value])
