"""Functions that are implemented in the language, under the name of Triton's module: ``tl.standard.cdiv``."""

from __future__ import annotations

import sys
from typing import Any

from .constexpr import constexpr_function
from .types import get_int_dtype

__all__ = ["_get_int_dtype", "_is_power_of_two", "_log2"]

_get_int_dtype = constexpr_function(get_int_dtype)


@constexpr_function
def _log2(i: int) -> int:
    """Returns the logarithm of a power of two."""
    return i.bit_length() - 1


@constexpr_function
def _is_power_of_two(i: int) -> bool:
    return i > 0 and i & (i - 1) == 0


def __getattr__(name: str) -> Any:
    return getattr(sys.modules[__package__], name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(sys.modules[__package__])})
