"""Reference values of a program with error bounds.

The interpreter runs the program and carries a bound of each value's error. A program whose control flow or whose
addresses depend on a value that is not exact is ambiguous, and not compared.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from blockdsl.interpreter import Interpreter, Memory, Segment
from blockdsl.language.cast import cast
from blockdsl.language.constexpr import unwrap
from blockdsl.language.op import LibraryFunction, Op
from blockdsl.language.reductions import (
    _argmax_combine_tie_break_fast,
    _argmin_combine_tie_break_fast,
    _sum_combine,
)
from blockdsl.language.scan import _prod_combine
from blockdsl.language.tensor import tensor
from blockdsl.language.types import block, float64

from . import rules
from .bounded import AmbiguousError, Bound, Bounded, error_of, exact, flat, with_error

NOBODY, SEVERAL = -1, -2
SHARED = "shared"
"""Prefix of the names of arguments that programs share."""
IN_ANY_ORDER = tuple(f"atomic_{name}" for name in ("add", "and", "or", "xor", "max", "min"))
"""Updates of integers that all programs make in any order."""


class BoundedMemory(Memory):
    """Memory that records the errors of stored values, and the program of each load and store.

    A program is ambiguous if two programs of the grid access a byte, at least one of them with a store, or if two
    elements of a store have one address. Memory whose name says that it is shared is updated by all programs with one
    op, in any order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.running = ""
        self.updates: dict[int, str] = {}
        self.is_open = False
        self.program = 0
        self.stored: dict[int, Any] = {}
        self.loaded: dict[int, Any] = {}
        self.errors: dict[int, Any] = {}
        self.pending: Bound = None
        self.loaded_errors: Bound = None

    def _split(self, verb: str, addresses: Any, active: Any, kind: np.dtype[Any]) -> Any:
        parts = super()._split(verb, addresses, active, kind)
        self.loaded_errors = None
        for segment, chosen in parts:
            if segment.name.startswith(SHARED):
                self._shared(segment)
                continue
            indices = segment.byte_indices(addresses[chosen], kind)
            if verb == "load":
                self._loads(segment, chosen, indices)
            else:
                self._stores(segment, chosen, indices)
        return parts

    def _shared(self, segment: Segment) -> None:
        """The previous value of an update depends on the order."""
        self.is_open = True
        if self.running not in IN_ANY_ORDER or self.updates.setdefault(segment.start, self.running) != self.running:
            raise AmbiguousError("an update of what programs share that is not all the same in any order")

    def _loads(self, segment: Segment, chosen: Any, indices: Any) -> None:
        stored = self.stored.get(segment.start)
        if stored is not None:
            self._check_single_program(stored[indices])
        loaded = self._marks(self.loaded, segment)
        readers = loaded[indices]
        loaded[indices] = np.where((readers == NOBODY) | (readers == self.program), self.program, SEVERAL)
        if segment.start in self.errors:
            if self.loaded_errors is None:
                self.loaded_errors = np.zeros(chosen.shape)
            self.loaded_errors[chosen] = self.errors[segment.start][indices[:, 0]]

    def _stores(self, segment: Segment, chosen: Any, indices: Any) -> None:
        if (np.diff(np.sort(indices[:, 0])) < indices.shape[1]).any():
            raise AmbiguousError("a store of two elements to one place")
        stored = self._marks(self.stored, segment)
        self._check_single_program(stored[indices])
        stored[indices] = self.program
        loaded = self.loaded.get(segment.start)
        if loaded is not None:
            self._check_single_program(loaded[indices])
        if self.pending is not None or segment.start in self.errors:
            errors = self.errors.setdefault(segment.start, np.zeros(segment.bytes.size))
            errors[indices] = 0.0
            if self.pending is not None:
                errors[indices[:, 0]] = np.broadcast_to(self.pending, chosen.shape)[chosen]

    def _check_single_program(self, programs: Any) -> None:
        if ((programs != NOBODY) & (programs != self.program)).any():
            raise AmbiguousError("two programs meet in memory")

    def _marks(self, marks: dict[int, Any], segment: Segment) -> Any:
        if segment.start not in marks:
            marks[segment.start] = np.full(segment.bytes.size, NOBODY, np.int32)
        return marks[segment.start]


@functools.cache
def _is_access(name: str) -> bool:
    return name in ("load", "store") or name.startswith(("descriptor_", "load_tensor", "store_tensor"))


class BoundedInterpreter(Interpreter):
    """The interpreter, with bounds."""

    def __init__(self, grid: tuple[int, int, int]) -> None:
        super().__init__(grid)
        self.memory: BoundedMemory = BoundedMemory()

    @property
    def program(self) -> tuple[int, int, int]:
        return self._program

    @program.setter
    def program(self, program: tuple[int, int, int]) -> None:
        self._program = program
        if hasattr(self, "memory") and isinstance(self.memory, BoundedMemory):
            x, y, z = program
            self.memory.program = x + self.grid[0] * (y + self.grid[1] * z)

    def run(self, op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if op is cast and len(args) == 2 and not kwargs and isinstance(args[0], tensor) and args[0].dtype == args[1]:
            return args[0]
        arguments: Sequence[Any] = [unwrap(value) for value in op.bind(args, kwargs)]
        if op.operands is not None:
            arguments = op.operands(self, *arguments)
        if _is_access(op.name):
            return self._access(op, arguments)
        if op.name in ("reduce", "associative_scan"):
            return self._combined(op, arguments)
        self.memory.running, self.memory.is_open = op.name, False
        result = self._plain(op, arguments)
        if self.memory.is_open:
            return with_error(result, np.full(result.shape, np.inf))
        operands = [value for value in flat(arguments) if isinstance(value, tensor)]
        if any(isinstance(value, Bounded) for value in operands):
            if op.name in rules.MOVES:
                return with_error(result, self._moved(op, arguments))
        elif op.name in rules.EXACT:
            return result
        if any(isinstance(value, Bounded) for value in flat([result])):
            return result
        return with_error(result, rules.bound(op.name, arguments, operands, result))

    def _plain(self, op: Op, arguments: Sequence[Any]) -> Any:
        """Computes the op's result."""
        rule = op.reference_rule
        assert rule is not None
        if op.reference_is_typed:
            return rule(self, *arguments)
        result = rule(*(value.handle if isinstance(value, tensor) else value for value in arguments))
        if result is None:
            return None
        return self.typed(result, *(value for value in arguments if isinstance(value, tensor)))

    def _moved(self, op: Op, arguments: Sequence[Any]) -> Any:
        """Applies the op, which moves elements, to the errors."""

        def as_error(value: Any) -> Any:
            if not isinstance(value, tensor):
                return value
            error = error_of(value)
            return tensor(np.zeros(value.shape) if error is None else error, block(float64, value.shape))

        moved = self._plain(op, [as_error(value) for value in arguments])
        errors = [np.abs(value.handle) for value in flat([moved])]
        return errors if isinstance(moved, tuple) else errors[0]

    def _access(self, op: Op, arguments: Sequence[Any]) -> Any:
        """Bounds of loads and stores: only the stored value and `other` may be inexact."""
        stores = "store" in op.name or "scatter" in op.name
        data = {"store": 1, "load": 2, "descriptor_scatter": 1}.get(op.name, len(arguments) - 1 if stores else None)
        for index, argument in enumerate(arguments):
            if index != data and any(error_of(value) is not None for value in flat([argument])):
                raise AmbiguousError(op.name)
        error = error_of(arguments[data]) if data is not None else None
        self.memory.pending = error if stores else None
        if op.name in ("descriptor_atomic_min", "descriptor_atomic_max") and arguments[0].dtype.is_floating():
            self.memory.pending = np.array(rules.EITHER_ZERO)
        try:
            result = self._plain(op, arguments)
        finally:
            self.memory.pending = None
        if stores:
            return result
        loaded_errors = self.memory.loaded_errors
        if error is not None:
            loaded_errors = np.where(arguments[1].handle, 0.0 if loaded_errors is None else loaded_errors, error)
        return with_error(result, loaded_errors)

    def _combined(self, op: Op, arguments: Sequence[Any]) -> Any:
        """Sums and products of floats may be in any order; reductions that select an element are exact."""
        values = arguments[0] if isinstance(arguments[0], (tuple, list)) else (arguments[0],)
        axis, function = arguments[1], getattr(arguments[2], "function", arguments[2])
        result = self._plain(op, arguments)
        broken = any(error_of(value) is not None for value in values)
        floats = any(value.dtype.is_floating() for value in values)
        result = exact(result)
        if not broken and function in (_argmax_combine_tie_break_fast, _argmin_combine_tie_break_fast):
            return with_error(result, rules.tied(values[0], axis, result))
        if not broken and not floats:
            return result
        if len(values) == 1 and floats and function is _sum_combine:
            return with_error(result, rules.sum_of(op.name, values[0], axis, result))
        if len(values) == 1 and not broken and function is _prod_combine:
            return with_error(result, rules.product_of(values[0], axis, result))
        if not broken and (isinstance(function, LibraryFunction) or "choose" in function.__name__):
            return with_error(result, rules.either_zero(result))
        unknown = [np.full(value.shape, np.inf) for value in flat([result])]
        return with_error(result, unknown if isinstance(result, tuple) else unknown[0])
