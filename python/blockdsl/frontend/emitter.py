"""Emitter of IR: creates ops through the C++ builder, by name, with attributes and types as text.

No other module of the front end uses the C++ extension.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._native import Block as Block
from .._native import Context as Context
from .._native import IRBuilder, Operation
from .._native import Module as Module
from .._native import Region as Region
from ..errors import Location
from ..language.numerics import fit, store
from ..language.op import Op
from ..language.tensor import tensor
from ..language.types import SCALARS, Scalar, Type, block, dtype, pointer_type

# Signed types first: an `i32` without further information counts as signed.
_BY_IR: dict[str, Scalar] = {}
for _scalar in SCALARS:
    _BY_IR.setdefault(_scalar.ir, _scalar)


class Emitter:
    """Creates IR for one module.

    Attributes:
        module: The module under construction.
        notes: Lines of ``static_print``, printed when the module is complete.
        location: The current location in the kernel; None at first.
        call_function: Set by the front end: compiles and calls a jit function.
        call_extern: Set by the front end: compiles and calls a function with a symbol in a library.
    """

    def __init__(self, context: Context) -> None:
        self.builder = IRBuilder(context)
        self.builder.set_location("-", 0, 0, 0, "")
        self.module: Module = self.builder.create_module()
        self.notes: list[str] = []
        self.call_function: Callable[[Any, Sequence[Any], Mapping[str, Any]], Any] | None = None
        self.call_extern: Callable[[str, Any, Sequence[tensor]], Any] | None = None
        self.location: Location | None = None
        self._block: Block | None = None

    # The interface of language/op.py's Mode and Emitter.

    def run(self, op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Applies an op: binds its arguments, promotes them, and emits."""
        arguments: Sequence[Any] = op.bind(args, kwargs)
        if op.operands is not None:
            arguments = op.operands(self, *arguments)
        assert op.emit_rule is not None
        return op.emit_rule(self, *arguments)

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a jit function."""
        assert self.call_function is not None
        return self.call_function(function, args, kwargs)

    def call_symbol(self, symbol: str, function: Any, args: Sequence[tensor]) -> Any:
        """Calls a function of libdevice by its symbol. For CPUs, a jit function implements it."""
        assert self.call_extern is not None
        return self.call_extern(symbol, function, args)

    def constant(self, value: int | float | bool, type: Type) -> tensor:  # noqa: A002
        """Returns a scalar or block whose elements all equal a number."""
        text = literal(value, type.scalar)
        given = f"dense<{text}> : {type.ir}" if type.shape else f"{text} : {type.ir}"
        if text in ("true", "false") and not type.shape:
            given = text
        return tensor(self._create("arith.constant", (), {"value": given}, [type.ir], (), ())[0], type, value)

    def create(
        self,
        name: str,
        *operands: tensor,
        attributes: Mapping[str, str] | None = None,
        result: Type | Sequence[Type] | None = None,
        regions: Sequence[Region] = (),
    ) -> Any:
        """Creates an op and returns its results as tensors."""
        types = [result] if isinstance(result, Type) else result
        result_types = None if types is None else [each.ir for each in types]
        values = self._create(name, operands, attributes or {}, result_types, regions, ())
        if types is None:
            results = [tensor(value, _inferred(value, operands)) for value in values]
        else:
            results = [tensor(value, each) for value, each in zip(values, types, strict=True)]
        return None if not results else results[0] if len(results) == 1 else tuple(results)

    def region(self, arguments: Sequence[Type], body: Callable[..., None]) -> Region:
        """Returns a region of one block. ``body`` emits its ops, and gets its arguments."""
        region = self.builder.create_region()
        entry = self.builder.append_block(region, [each.ir for each in arguments])
        values = [tensor(value, each) for value, each in zip(entry.arguments, arguments, strict=True)]
        with self.at(entry):
            body(*values)
        return region

    def note(self, text: str) -> None:
        """Stores a text for printing."""
        self.notes.append(text)

    def hint(self, value: tensor, name: str, attribute: str) -> None:
        """Sets an attribute on the op that defines a value."""
        self.builder.set_value_attribute(value.handle, name, attribute)

    # Blocks and locations, which only the front end uses.

    def locate(self, location: Location) -> None:
        """Sets the location of the following ops."""
        self.location = location
        end = location.end_column or location.column
        self.builder.set_location(location.file, location.line, location.column, end, location.function or "")

    @contextlib.contextmanager
    def at(self, block: Block) -> Iterator[None]:
        """Context that creates ops at the end of a block, and restores the insertion point afterwards."""
        before = self._block
        self.enter(block)
        try:
            yield
        finally:
            self._block = before
            if before is not None:
                self.builder.set_insertion_point_to_end(before)

    def enter(self, block: Block) -> None:
        """Sets the insertion point to the end of a block."""
        self._block = block
        self.builder.set_insertion_point_to_end(block)

    @property
    def current(self) -> Block:
        """The block of the insertion point."""
        assert self._block is not None
        return self._block

    def new_block(self, types: Sequence[Type] = ()) -> Block:
        """Appends a block to the current function's body."""
        return self.builder.append_sibling(self.current, [each.ir for each in types])

    def jump(self, name: str, operands: Sequence[tensor], targets: Sequence[Block], sizes: str | None = None) -> None:
        """Creates a branch to blocks."""
        given = {} if sizes is None else {"operandSegmentSizes": sizes}
        self._create(name, operands, given, [], (), targets)

    def function(
        self, name: str, arguments: Sequence[Type], hints: Sequence[Mapping[str, str]], attributes: Mapping[str, str]
    ) -> tuple[Operation, Block]:
        """Creates a function with an empty entry block, and returns both. ``finish_function`` sets the result types."""
        region = self.builder.create_region()
        entry = self.builder.append_block(region, [each.ir for each in arguments])
        given = {"sym_name": f'"{name}"', "function_type": _function_type(arguments, ()), **attributes}
        if any(hints):
            dictionaries = ["{" + ", ".join(f"{key} = {text}" for key, text in each.items()) + "}" for each in hints]
            given["arg_attrs"] = "[" + ", ".join(dictionaries) + "]"
        before = self._block
        self.builder.set_insertion_point_to_module(self.module)
        made = self.builder.create("tt.func", [], list(given.items()), [], [region], [])
        if before is not None:
            self.enter(before)
        return made, entry

    def finish_function(self, operation: Operation, arguments: Sequence[Type], results: Sequence[Type]) -> None:
        """Sets the type of a function whose body is complete."""
        self.builder.set_attribute(operation, "function_type", _function_type(arguments, results))

    def _create(
        self,
        name: str,
        operands: Sequence[tensor],
        attributes: Mapping[str, str],
        types: Sequence[str] | None,
        regions: Sequence[Region],
        successors: Sequence[Block],
    ) -> list[Any]:
        handles = [operand.handle for operand in operands]
        made = self.builder.create(name, handles, list(attributes.items()), types, list(regions), list(successors))
        return self.builder.results(made)


def literal(value: int | float | bool, kind: Scalar) -> str:
    """Returns a number as IR text. Floats are written as bits, to avoid double rounding."""
    assert isinstance(kind, dtype), f"no constants of type {kind}"
    if kind.is_bool():
        return "true" if value else "false"
    if kind.is_int():
        # IR integers are signless: the upper half is written as negative numbers.
        bits = int(value) & ((1 << kind.primitive_bitwidth) - 1)
        return str(bits - (1 << kind.primitive_bitwidth) if bits >> (kind.primitive_bitwidth - 1) else bits)
    stored = store(fit(np.float64(value), kind), kind)
    width = kind.primitive_bitwidth
    return f"0x{int(np.ascontiguousarray(stored).reshape(1).view(f'uint{width}')[0]):0{width // 4}X}"


def _inferred(value: Any, operands: Sequence[tensor]) -> Type:
    """Returns the type of a result, with the signedness of the first operand of the same IR type."""
    element = value.element_type
    for operand in operands:
        if operand.dtype.ir == element:
            return block(operand.dtype, value.shape)
    if element.startswith("!tt.ptr<"):
        return block(pointer_type(_BY_IR[element[len("!tt.ptr<") : -1]]), value.shape)
    return block(_BY_IR[element], value.shape)


def _function_type(arguments: Sequence[Type], results: Sequence[Type]) -> str:
    return f"({', '.join(each.ir for each in arguments)}) -> ({', '.join(each.ir for each in results)})"
