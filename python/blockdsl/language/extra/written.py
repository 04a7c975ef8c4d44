"""How a function of libdevice is declared that is written in the language itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..extern import Symbols, common_type
from ..op import LibraryFunction, Op, op
from ..tensor import tensor
from ..types import dtype

WRITTEN: dict[str, Op] = {}
"""By their names, without ``libdevice.``."""

FUNCTIONS: dict[str, LibraryFunction] = {}
"""What each of them is: a function of the language."""


def declare(name: str, kinds: tuple[tuple[dtype, ...], ...], function: Callable[..., Any], meaning: str) -> None:
    """Adds a function for arguments of one of these combinations of types."""
    FUNCTIONS[name] = inner = LibraryFunction(function)
    symbols: Symbols = {kind: (f"__nv_{name}", kind[0]) for kind in kinds}

    def declared(*args: tensor) -> tensor:
        raise NotImplementedError  # the decorator replaces the body

    declared.__name__ = f"libdevice.{name}"
    types = " or ".join("(" + ", ".join(map(str, each)) + ")" for each in kinds)
    declared.__doc__ = f"""{meaning}

    Args:
        args: Blocks, scalars or Python numbers of types {types}.

    Raises:
        TypeMismatchError: There is no such function for the arguments' types.

    Example:
        y = libdevice.{name}({", ".join("xyzw"[: len(kinds[0])])})
    """

    def facet(e: Any, args: tuple[Any, ...]) -> Any:
        return e.call(inner, common_type(e, args, symbols), {})

    WRITTEN[name] = made = op()(declared)
    made.emit(facet)
    made.reference(facet)


def written(*kinds: tuple[dtype, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a function under its own name; its docstring is the first sentence of the manual."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        declare(function.__name__, kinds, function, function.__doc__ or "")
        return function

    return register
