"""Functions of a module: one per jit function and combination of argument types."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import KernelSyntaxError, Loc, TypeMismatchError
from ..language.constexpr import unwrap
from ..language.op import running
from ..language.scalars import ScalarNumber
from ..language.tensor import tensor
from ..language.types import Type

# Imported to register their handlers.
from . import calls as calls
from . import loops as loops
from . import statements as statements
from .emitter import Context, Emitter
from .source import MISSING, KernelSource, source_of
from .values import is_sequence, leaves, rebuild, replace_leaves
from .visitor import Visitor

MAX_NESTED_CALLS = 64
"""The deepest nesting of calls. Python's stack would allow some twenty more."""


@dataclass
class Compiled:
    """An emitted function: its name, its result's leaves and the function that reassembles the result from them."""

    symbol: str
    results: list[Type]
    template: Any


class Functions:
    """Compiles functions on demand, each once."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        emitter.call_function = self.call
        emitter.call_extern = self.call_extern
        self.compiled: dict[Any, Compiled | None] = {}
        self.symbols: set[str] = set()
        self.depth = 0

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Compiles a jit function for these arguments, and emits the call."""
        source = source_of(function)
        assert source is not None
        bound = bind(source, args, kwargs)
        operands = [leaf for value in bound.values() for leaf in leaves(value)]
        key = (id(source), tuple((name, _key(value)) for name, value in bound.items()))
        if key not in self.compiled:
            self.compiled[key] = None
            if self.depth == MAX_NESTED_CALLS:
                raise KernelSyntaxError(
                    f"calls are nested at most {MAX_NESTED_CALLS} deep, and '{source.name}' is called in one more",
                    hint="end a recursion over compile-time values, or loop with tl.static_range",
                )
            noinline = bool(getattr(function, "noinline", False))
            self.depth += 1
            self.compiled[key] = self._compile(source, bound, noinline=noinline)
            self.depth -= 1
        compiled = self.compiled[key]
        if compiled is None:
            raise KernelSyntaxError(
                f"'{source.name}' calls itself, and recursion is not part of the kernel language",
                hint="write a loop",
            )
        made = self.emitter.create(
            "tt.call", *operands, attributes={"callee": f"@{_quoted(compiled.symbol)}"}, result=compiled.results
        )
        results = [] if made is None else list(made) if isinstance(made, tuple) else [made]
        return replace_leaves(compiled.template, iter(results))

    def call_extern(self, symbol: str, function: Any, args: Sequence[tensor]) -> tensor:
        """Calls a library function by its symbol. The module contains an implementation for each combination of
        argument types, for targets without the library: see CallExterns.cpp."""
        source = source_of(function)
        assert source is not None
        types = "_".join(_mangled(value) for value in args)
        key = (symbol, types)
        if key not in self.compiled:
            self.compiled[key] = self._compile(source, bind(source, args, {}), f"{symbol}.{types}")
        compiled = self.compiled[key]
        assert compiled is not None
        given = {"libname": '""', "libpath": '""', "symbol": f'"{symbol}"', "pure": "true"}
        made: tensor = self.emitter.create("tt.extern_elementwise", *args, attributes=given, result=compiled.results[0])
        return made

    def _compile(
        self, source: KernelSource, bound: Mapping[str, Any], name: str = "", noinline: bool = False
    ) -> Compiled:
        symbol = self._unique(
            name or f"{source.qualified_name}__{'_'.join(_mangled(value) for value in bound.values())}"
        )
        types = [leaf.type for value in bound.values() for leaf in leaves(value)]
        caller = self.emitter.location
        result = self.define(source, symbol, bound, types, [{} for _ in types], public=False, noinline=noinline)
        if caller is not None:
            self.emitter.locate(caller)
        return Compiled(symbol, [leaf.type for leaf in leaves(result)], result)

    def _unique(self, symbol: str) -> str:
        symbol = re.sub(r"[^\w.]", "_", symbol)
        base, number = symbol, 0
        while symbol in self.symbols:
            number += 1
            symbol = f"{base}_{number}"
        self.symbols.add(symbol)
        return symbol

    def define(
        self,
        source: KernelSource,
        symbol: str,
        bound: Mapping[str, Any],
        types: Sequence[Type],
        hints: Sequence[Mapping[str, str]],
        *,
        public: bool,
        noinline: bool = False,
    ) -> Any:
        """Emits a function for these values of its parameters. Returns its result."""
        emitter = self.emitter
        emitter.locate(source.location(source.tree))
        given = {"noinline": "true" if noinline else "false", "sym_visibility": '"public"' if public else '"private"'}
        operation, entry = emitter.function(symbol, types, hints, given)
        arguments = iter([tensor(value, each) for value, each in zip(entry.arguments, types, strict=True)])
        visitor = Visitor(emitter, source, self, kernel=public)
        visitor.scope = {name: replace_leaves(value, arguments) for name, value in bound.items()}
        with emitter.at(entry):
            visitor.visit_body(source.tree.body)
            if not visitor.ended:
                _fall_off(visitor, source)
        result = visitor.result[0] if visitor.result else None
        emitter.finish_function(operation, types, [leaf.type for leaf in leaves(result)])
        return result


def _fall_off(visitor: Visitor, source: KernelSource) -> None:
    """Emits the end of a function without a return. If other paths return a value, this one returns poison, which
    is zero on a CPU."""
    visitor.at(source.tree.body[-1])
    emitter = visitor.emitter
    returned = leaves(visitor.result[0]) if visitor.result else []
    open_values = [emitter.create("ub.poison", result=leaf.type) for leaf in returned]
    emitter.create("tt.return", *open_values, result=())


def result_of(
    source: KernelSource,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    make: Callable[[Type], tensor],
    *,
    is_kernel: bool = False,
) -> Any:
    """Returns a function's result on paths that end in a return.

    Args:
        source: The function.
        args: Its positional arguments. Of tensors only the types matter.
        kwargs: Its keyword arguments.
        make: Makes a tensor of a type.
        is_kernel: Whether it is a launched kernel, not a called function.

    Returns:
        A value whose tensors are made by ``make``; None if no path returns a value.

    Raises:
        KernelError: The function does not compile for these arguments.
    """
    emitter = Emitter(Context())
    bound = bind(source, args, kwargs)
    types = [leaf.type for value in bound.values() for leaf in leaves(value)]
    try:
        with running(emitter), Loc(source.location(source.tree)):
            result = Functions(emitter).define(source, source.name, bound, types, [{} for _ in types], public=is_kernel)
            return replace_leaves(result, iter([make(leaf.type) for leaf in leaves(result)]))
    finally:
        emitter.builder.discard_regions()


def bind(source: KernelSource, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the value of each parameter of a called function.

    As in Triton, a called function accepts runtime values for its ``tl.constexpr`` parameters, because it is compiled
    for each combination of arguments anyway. (Tutorial 6 passes blocks of offsets this way.)

    Raises:
        TypeMismatchError: An argument is missing, unknown, or given twice.
    """
    bound: dict[str, Any] = {}
    named, positional = dict(kwargs), list(args)
    for parameter in source.parameters:
        name = parameter.name
        if parameter.variadic:
            bound[name], positional = tuple(positional), []
        elif positional:
            if name in named:
                raise TypeMismatchError(f"'{source.name}' got the argument '{name}' twice")
            bound[name] = positional.pop(0)
        elif name in named:
            bound[name] = named.pop(name)
        elif parameter.default is not MISSING:
            bound[name] = unwrap(parameter.default)
        else:
            raise TypeMismatchError(f"'{source.name}' expects an argument '{name}', got none",
                                    hint=f"its parameters are {_parameters(source)}")  # fmt: skip
    if positional:
        raise TypeMismatchError(f"'{source.name}' expects {len(source.parameters)} arguments, got {len(args)}",
                                hint=f"its parameters are {_parameters(source)}")  # fmt: skip
    for name in named:
        raise TypeMismatchError(f"'{source.name}' has no parameter '{name}'",
                                hint=_RENAMED.get(name) or f"its parameters are {_parameters(source)}")  # fmt: skip
    return {name: _plain(value) for name, value in bound.items()}


_RENAMED = {
    "dim": "write axis=", "keepdim": "write keep_dims=", "keepdims": "write keep_dims=",
}  # fmt: skip
"""Parameters of torch's and NumPy's functions with other names in the language."""


def _parameters(source: KernelSource) -> str:
    return ", ".join(parameter.name for parameter in source.parameters)


def _plain(value: Any) -> Any:
    return rebuild(value, [_plain(item) for item in value]) if is_sequence(value) else unwrap(value)


def _key(value: Any) -> Any:
    """Returns the part of an argument that a function is compiled for: types of tensors, values of Python objects."""
    if isinstance(value, tensor):
        return value.type
    if is_sequence(value):
        return (type(value), *(_key(item) for item in value))
    try:
        hash(value)
    except TypeError:
        return repr(value)
    kind = value.type if isinstance(value, ScalarNumber) else None
    return (type(value), kind, value if value == value else "nan")


def _mangled(value: Any) -> str:
    """Returns an argument's part of a function's name, mangled as in Triton."""
    if isinstance(value, tensor):
        return value.type.mangle()
    if is_sequence(value):
        return "T" + "_".join(_mangled(item) for item in value) + "T"
    return f"c{getattr(value, '__name__', value)}"


def _quoted(symbol: str) -> str:
    return symbol if re.fullmatch(r"[A-Za-z_][\w.$]*", symbol) else f'"{symbol}"'
