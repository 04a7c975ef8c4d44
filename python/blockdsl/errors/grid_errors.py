"""Errors of grids that are functions of the arguments."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping

from blockdsl.errors import LaunchError
from blockdsl.errors.source_locations import caller, raise_location


def explain(kernel: str, arguments: Mapping[str, object], options: Collection[str], error: BaseException) -> None:
    """Raises LaunchError if a grid function misuses ``arguments``, the dict it is called with.

    Other errors are not converted: the program may catch them by their type, and their traceback contains the lines of
    the function and the launch. ``options`` are the keywords that a launch takes besides the kernel's parameters.
    """
    location, launch = raise_location(error), caller()
    missing = error.args[0] if isinstance(error, KeyError) and error.args else None
    if isinstance(missing, str) and missing not in arguments:
        raise LaunchError(
            f"the function that gives the grid of kernel '{kernel}' finds no '{missing}'; the arguments it is called "
            f"with are {', '.join(arguments)}",
            location=location or launch,
            calls=(launch,) if location and launch else (),
            hint=_hint(missing, arguments, options),
        ) from error
    # The function has not run: the call itself failed.
    if isinstance(error, TypeError) and location is None:
        raise LaunchError(
            f"the function that gives the grid of kernel '{kernel}' is called with one dict, of the arguments: {error}",
            location=launch,
            hint="write lambda meta: ..., also where the grid does not depend on the arguments",
        ) from error


def _hint(missing: str, arguments: Mapping[str, object], options: Collection[str]) -> str | None:
    if missing in options:
        return "options of a launch are not among them: what depends on one takes it from where it is set"
    folded = {name.lower(): name for name in arguments}
    close = [folded[name] for name in difflib.get_close_matches(missing.lower(), folded, n=1)]
    return f"did you mean '{close[0]}'?" if close else None
