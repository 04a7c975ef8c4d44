"""Errors of invalid launches of a kernel. The package ``errors`` has the messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blockdsl.compiler.options import OPTIONS
from blockdsl.errors import LaunchError, grid_errors, launch_errors
from blockdsl.frontend.source import KernelSource
from blockdsl.launcher import arguments


def refusal(
    kernel: str, parameters: Sequence[str], reason: str, name: str | None, value: object, declared: str = ""
) -> LaunchError:
    """Returns the error for a reason of the native launcher, located at the caller's line."""
    return launch_errors.refusal(kernel, parameters, OPTIONS, reason, name, value, declared)


def refusal_of(source: KernelSource, reason: str, name: str | None, value: object) -> LaunchError:
    """Returns the same error for a kernel given by its source."""
    declared = next((arguments.wanted(each.annotation).type for each in source.parameters if each.name == name), None)
    return refusal(source.name, [each.name for each in source.parameters], reason, name, value, str(declared))


def explain_grid(kernel: str, given: Mapping[str, object], error: BaseException) -> None:
    """Raises LaunchError for a mistake in a grid function that was called with ``given``."""
    grid_errors.explain(kernel, given, OPTIONS, error)
