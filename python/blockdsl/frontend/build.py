"""Construction of the module of one kernel for one specialization of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import Loc, TypeMismatchError
from ..language.constexpr import unwrap
from ..language.descriptor import described_parameter, tensor_descriptor_type
from ..language.op import running
from ..language.tensor import tensor
from ..language.types import Type, parse
from .emitter import Context, Emitter, Module
from .functions import Functions, bind
from .source import MISSING, KernelSource, Specialization, source_of
from .values import leaves, rebuild


def build_module(
    source: KernelSource, specialization: Specialization, context: Context, name: str | None = None
) -> Module:
    """Returns the kernel as a verified module: one public function, named ``name`` or like the source, and the private
    functions that it calls.

    Raises:
        KernelSyntaxError: The kernel uses a construct that is not part of the language.
        TypeMismatchError: Types or shapes do not fit.
        CompileTimeAssertionError: A ``tl.static_assert`` is false.

    Example:
        source = KernelSource.of(add)
        module = build_module(source, Specialization({"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 128}), Context())
    """
    emitter = Emitter(context)
    functions = Functions(emitter)
    bound: dict[str, Any] = {}
    hints: list[dict[str, str]] = []
    for parameter in source.parameters:
        called = parameter.name
        structure = specialization.tuples.get(called, called)
        if structure is not called or called in specialization.constants or called in specialization.types:
            with Loc(source.location(source.tree)):
                bound[called] = _argument(specialization, structure, hints)
        elif parameter.default is not MISSING:
            bound[called] = unwrap(parameter.default)
        else:
            raise TypeMismatchError(
                f"'{source.name}' expects a type or a value for '{called}', got none",
                location=source.location(source.tree),
                hint="name it in the signature, or in the constexprs",
            )
    arguments = [leaf.type for value in bound.values() for leaf in leaves(value)]
    symbol = name or source.name
    functions.symbols.add(symbol)
    try:
        with running(emitter), Loc(source.location(source.tree)):
            functions.define(source, symbol, bound, arguments, hints, public=True)
    finally:
        # Discarded code from failed attempts at loops still uses values of the module.
        emitter.builder.discard_regions()
        print("".join(emitter.notes), end="")
    emitter.module.operation.verify()
    return emitter.module


def build_functions(requested: Sequence[tuple[str, Any, Sequence[Type]]], context: Context) -> Module:
    """Returns a module of private functions: for each its symbol, the function of the language, and the argument types.
    They are no kernels: they are linked into a module that calls them.

    Example:
        module = build_functions([("__nv_clz", FUNCTIONS["clz"], [block_type(int32, (64,))])], Context())
    """
    emitter = Emitter(context)
    functions = Functions(emitter)
    functions.symbols.update(symbol for symbol, _, _ in requested)
    for symbol, function, types in requested:
        source = source_of(function)
        assert source is not None
        bound = bind(source, [tensor(None, each) for each in types], {})
        with running(emitter), Loc(source.location(source.tree)):
            functions.define(source, symbol, bound, types, [{} for _ in types], public=False)
    emitter.module.operation.verify()
    return emitter.module


def _argument(specialization: Specialization, name: Any, hints: list[dict[str, str]]) -> Any:
    """Returns the value of a parameter, or of a tuple of names. Adds the attributes of its tensors to ``hints``."""
    if isinstance(name, tuple):
        return rebuild(name, [_argument(specialization, element, hints) for element in name])
    if name in specialization.constants:
        return unwrap(specialization.constants[name])
    value, given = _runtime_parameter(specialization, name)
    hints += given
    return value


def _runtime_parameter(specialization: Specialization, name: str) -> tuple[Any, list[dict[str, str]]]:
    """Returns a parameter's value, and the attributes of each of its tensors."""
    spelling = specialization.types[name]
    try:
        described = tensor_descriptor_type.parse(spelling)
        if described is not None:
            return described_parameter(described)
        kind = parse(spelling)
    except TypeMismatchError as error:
        raise TypeMismatchError(f"for '{name}' {error.message}", hint=error.hint) from None
    divisor = specialization.divisibility.get(name)
    return tensor(None, kind), [{"tt.divisibility": f"{divisor} : i32"} if divisor else {}]
