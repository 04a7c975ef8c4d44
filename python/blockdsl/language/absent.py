"""Names of Triton's language that are not there yet. Who adds one takes it from here."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ..errors import MissingNameError

ABSENT = ("float8e4b15",)

_PAGE = "docs/compatibility.md lists what is missing"


def missing(name: str, known: Iterable[str], module: str = "blockdsl.language", short: str = "tl") -> MissingNameError:
    """The error for a name that a module does not have: one that Triton has, or none at all."""
    if short == "tl" and name in ABSENT:
        return MissingNameError(f"'tl.{name}' of Triton is not there yet", hint=_PAGE)
    close = difflib.get_close_matches(name, known, n=1)
    return MissingNameError(
        f"module '{module}' has no attribute '{name}'", hint=f"did you mean '{close[0]}'?" if close else None
    )
