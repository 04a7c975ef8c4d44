"""Calls of library functions by symbol, such as libdevice's. extra/libdevice.py has the table of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import expects
from .attributes import boolean, string
from .constexpr import unwrap
from .op import Emitter, Mode, op
from .promotion import computation_type, convert, together, type_of
from .tensor import tensor
from .types import Scalar, dtype

REFERENCES: dict[str, Callable[..., Any]] = {}
"""The reference of each symbol, for the interpreter. Modules about a library add its symbols."""

Symbols = Mapping[tuple[Scalar, ...], tuple[str, dtype]]


def _operands(mode: Mode, lib_name: Any, lib_path: Any, args: Any, symbols: Symbols, is_pure: Any) -> tuple[Any, ...]:
    values, kinds = chosen(mode, args, symbols)
    return unwrap(lib_name), unwrap(lib_path), values, {kinds: symbols[kinds]}, bool(unwrap(is_pure))


def chosen(mode: Mode, args: Any, symbols: Symbols) -> tuple[tuple[tensor, ...], tuple[Scalar, ...]]:
    """Returns the arguments converted to the function's types and a common shape, and these types."""
    values = [unwrap(value) for value in args]
    kinds = tuple(type_of(value) for value in values)
    name = next(iter(symbols.values()))[0].removeprefix("__nv_")
    arity = len(next(iter(symbols)))
    expects(len(values) == arity, f"'{name}' expects {arity} arguments, got {len(values)}")
    if kinds not in symbols:
        # A common type, if the function supports it.
        common = kinds[0]
        for kind in kinds[1:]:
            common = computation_type(name, common, kind)
        lone = [value.dtype for value in values if isinstance(value, tensor)]
        candidates = [(common,) * arity, *((kind,) * arity for kind in lone)]
        kinds = next((each for each in candidates if each in symbols), kinds)
    given = ", ".join(map(str, (type_of(value) for value in values)))
    known = " or ".join("(" + ", ".join(map(str, each)) + ")" for each in symbols)
    expects(kinds in symbols, f"'{name}' expects arguments of types {known}, got ({given})",
            hint="convert with .to(tl.float32)")  # fmt: skip
    converted = [convert(mode, name, value, kind) for value, kind in zip(values, kinds, strict=True)]  # type: ignore
    return together(mode, *converted), kinds


@op(operands=_operands)
def extern_elementwise(
    lib_name: str, lib_path: str, args: Sequence[tensor], arg_type_symbol_dict: Symbols, is_pure: bool = True
) -> tensor:
    """Applies a library function, given by its symbol, to each element.

    Args:
        lib_name: The library's name, stored in the IR.
        lib_path: Its path, stored in the IR.
        args: Blocks, scalars or Python numbers, broadcast together.
        arg_type_symbol_dict: The symbol and the result type for each combination of argument types.
        is_pure: The function depends only on its arguments, and has no side effects.

    Raises:
        TypeMismatchError: There is no symbol for the arguments' types.

    Example:
        y = extern_elementwise("", "", [x], {(tl.float32,): ("__nv_tanhf", tl.float32)})
    """


@extern_elementwise.emit
def _emit(e: Emitter, lib_name: str, lib_path: str, args: Any, arg_type_symbol_dict: Symbols, is_pure: bool) -> Any:
    ((symbol, kind),) = arg_type_symbol_dict.values()
    given = {
        "libname": string(lib_name),
        "libpath": string(lib_path),
        "symbol": string(symbol),
        "pure": boolean(is_pure),
    }
    return e.create("tt.extern_elementwise", *args, attributes=given, result=args[0].type.with_element_ty(kind))


@extern_elementwise.reference
def _reference(e: Any, lib_name: str, lib_path: str, args: Any, arg_type_symbol_dict: Symbols, is_pure: bool) -> Any:
    ((symbol, kind),) = arg_type_symbol_dict.values()
    expects(symbol in REFERENCES, f"the interpreter has no meaning for the symbol '{symbol}'")
    values = REFERENCES[symbol](*(value.handle for value in args))
    return tensor(values.astype(kind.carrier), args[0].type.with_element_ty(kind))
