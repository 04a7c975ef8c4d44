"""Declaration of libdevice functions that are written in the language itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..extern import Symbols, chosen
from ..op import LibraryFunction, Op, op
from ..tensor import tensor
from ..types import dtype

WRITTEN: dict[str, Op] = {}
"""The declared ops, by name without ``libdevice.``."""

FUNCTIONS: dict[str, LibraryFunction] = {}
"""The function of the language that implements each op, by name."""


BY_SYMBOL: dict[str, tuple[str, tuple[dtype, ...]]] = {}
"""The function and its argument types, by symbol."""


def declare(
    name: str, symbols: Mapping[tuple[dtype, ...], str | None], function: Callable[..., Any], meaning: str
) -> None:
    """Adds a function.

    Args:
        name: Its name, without ``libdevice.``.
        symbols: For each combination of argument types the symbol for a GPU's compiler, without ``__nv_``, or None.
        function: The implementation in the language.
        meaning: The first sentence of the manual.
    """
    FUNCTIONS[name] = inner = LibraryFunction(function)
    BY_SYMBOL.update({f"__nv_{symbol}": (name, kind) for kind, symbol in symbols.items() if symbol})
    kinds: Symbols = {kind: (f"__nv_{symbol or name}", kind[0]) for kind, symbol in symbols.items()}

    def declared(*args: tensor) -> tensor:
        raise NotImplementedError  # The decorator replaces the body.

    declared.__name__ = f"libdevice.{name}"
    types = " or ".join("(" + ", ".join(map(str, each)) + ")" for each in kinds)
    declared.__doc__ = f"""{meaning}

    Args:
        args: Blocks, scalars or Python numbers of types {types}.

    Raises:
        TypeMismatchError: There is no such function for the arguments' types.

    Example:
        y = libdevice.{name}({", ".join("xyzw"[: len(next(iter(kinds)))])})
    """

    def emitted(e: Any, args: tuple[Any, ...]) -> Any:
        values, types = chosen(e, args, kinds)
        symbol, _ = kinds[types]
        return e.call_symbol(symbol, inner, values) if symbol in BY_SYMBOL else e.call(inner, values, {})

    def computed(e: Any, args: tuple[Any, ...]) -> Any:
        return e.call(inner, chosen(e, args, kinds)[0], {})

    WRITTEN[name] = made = op()(declared)
    made.emit(emitted)
    made.reference(computed)


def written(symbols: Mapping[tuple[dtype, ...], str | None]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a function under its own name; its docstring is the first sentence of the manual."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        declare(function.__name__, symbols, function, function.__doc__ or "")
        return function

    return register
