"""The language under the name of Triton's defining module: ``from blockdsl.language.core import tensor``."""

from __future__ import annotations

import sys
from typing import Any

from .aggregate import aggregate as _aggregate
from .constexpr import constexpr
from .constexpr import unwrap as _unwrap_if_constexpr
from .types import Type as base_type  # noqa: N813 - Triton's spelling
from .types import get_int_dtype as get_int_dtype

CONSTEXPR_0 = constexpr(0)
"""Triton's default of some parameters."""

__all__ = ["CONSTEXPR_0", "_aggregate", "_unwrap_if_constexpr", "base_type", "get_int_dtype"]


def __getattr__(name: str) -> Any:
    return getattr(sys.modules[__package__], name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(sys.modules[__package__])})
