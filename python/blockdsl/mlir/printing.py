"""Printing of tt modules for a given version of Triton."""

from __future__ import annotations

from .._native import Module
from .._native import print_tt as _print_tt


def print_tt(module: Module, version: str = "3.9", *, locations: bool = False) -> str:
    """Returns the module's text in the syntax of a Triton version.

    Args:
        module: A module of the tt dialect.
        version: ``"3.6"``, ``"3.7"``, ``"3.8"`` or ``"3.9"``.
        locations: Prints the source location of each op.

    Raises:
        ValueError: The version is not one of these.

    Example:
        text = print_tt(module, version="3.6")
    """
    return _print_tt(module, version, locations)
