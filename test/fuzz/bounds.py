"""What a program means, and how far a right result may be from it.

The interpreter, which also carries a bound of each value's error: 0 where every order and every right function give the
same bits, infinity where nothing is known. A program whose control flow or whose addresses hang on a value that is not
exact is ambiguous, and not compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from blockdsl.interpreter import Interpreter, Memory, Segment
from blockdsl.language.cast import cast
from blockdsl.language.constexpr import unwrap
from blockdsl.language.op import LibraryFunction, Op
from blockdsl.language.reductions import _sum_combine
from blockdsl.language.scan import _prod_combine
from blockdsl.language.tensor import tensor
from blockdsl.language.types import block, float64

Bound = Any
"""None, which is zero everywhere, or an array of float64."""

MOVES = frozenset({
    "splat", "stretch", "broadcast", "broadcast_to", "expand_dims", "permute", "trans", "reshape", "view", "subscript",
    "join", "split", "item", "cat", "neg", "pos", "abs", "to_tensor", "full", "multiple_of", "max_contiguous",
    "max_constancy",
})  # fmt: skip
COMPARISONS = frozenset({"equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"})
EXACT_FUNCTIONS = frozenset({"floor", "ceil", "sqrt_rn", "div_rn", "mod"})
# In units of the last place, and what NumPy's own functions add to it.
FUNCTION_ULPS = 8.0
DIVISION_ULPS = 4.0
NOBODY, SEVERAL = -1, -2


class AmbiguousError(Exception):
    """Where the program goes on, or what it touches, depends on a value that is not exact."""


class Bounded(tensor):
    """A value that may be off by ``error``."""

    __slots__ = ("error",)

    def __init__(self, value: tensor, error: Bound) -> None:
        super().__init__(value.handle, value.type, value.known)
        self.error = error

    def _number(self, what: str) -> Any:
        if self.error.any():
            raise AmbiguousError(what)
        return super()._number(what)


def error_of(value: Any) -> Bound:
    return value.error if isinstance(value, Bounded) else None


class BoundedMemory(Memory):
    """Memory that knows the errors of what was stored, and which program stored, or loaded, what.

    A byte that two programs touch, of which one stores to it, and two elements of a store that meet, make a program
    ambiguous.
    """

    def __init__(self) -> None:
        super().__init__()
        self.program = 0
        self.stored: dict[int, Any] = {}
        self.loaded: dict[int, Any] = {}
        self.errors: dict[int, Any] = {}
        self.pending: Bound = None
        self.found: Bound = None

    def load(self, addresses: Any, active: Any, kind: np.dtype[Any]) -> Any:
        self.found = None
        for segment, chosen in self._split("load", addresses, active, kind):
            places = segment.places(addresses[chosen], kind)
            stored = self.stored.get(segment.start)
            if stored is not None:
                self._alone(stored[places])
            loaded = self._marks(self.loaded, segment)
            before = loaded[places]
            loaded[places] = np.where((before == NOBODY) | (before == self.program), self.program, SEVERAL)
            if segment.start in self.errors:
                if self.found is None:
                    self.found = np.zeros(addresses.shape)
                self.found[chosen] = self.errors[segment.start][places[:, 0]]
        return super().load(addresses, active, kind)

    def store(self, addresses: Any, active: Any, values: Any) -> None:
        for segment, chosen in self._split("store", addresses, active, values.dtype):
            places = segment.places(addresses[chosen], values.dtype)
            if np.unique(places).size != places.size:
                raise AmbiguousError("a store of two elements to one place")
            stored = self._marks(self.stored, segment)
            self._alone(stored[places])
            stored[places] = self.program
            loaded = self.loaded.get(segment.start)
            if loaded is not None:
                self._alone(loaded[places])
            if self.pending is not None or segment.start in self.errors:
                errors = self.errors.setdefault(segment.start, np.zeros(segment.bytes.size))
                errors[places] = 0.0
                if self.pending is not None:
                    errors[places[:, 0]] = np.broadcast_to(self.pending, chosen.shape)[chosen]
        super().store(addresses, active, values)

    def _alone(self, programs: Any) -> None:
        if ((programs != NOBODY) & (programs != self.program)).any():
            raise AmbiguousError("two programs meet in memory")

    def _marks(self, marks: dict[int, Any], segment: Segment) -> Any:
        return marks.setdefault(segment.start, np.full(segment.bytes.size, NOBODY, np.int32))


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
        given = [value for value in _flat(arguments) if isinstance(value, tensor)]
        bounded = any(isinstance(value, Bounded) for value in given)
        if op.name in ("load", "store") or op.name.startswith(("descriptor_", "load_tensor", "store_tensor")):
            return self._access(op, arguments)
        if op.name in ("reduce", "associative_scan"):
            return self._combined(op, arguments)
        result = self._plain(op, arguments)
        if bounded and op.name in MOVES:
            return _with(result, self._moved(op, arguments))
        if any(isinstance(one, Bounded) for one in _flat([result])):
            return result
        return _with(result, _rule(op.name, arguments, given, result))

    def _plain(self, op: Op, arguments: Sequence[Any]) -> Any:
        """The op's meaning."""
        rule = op.reference_rule
        assert rule is not None
        if op.reference_is_typed:
            return rule(self, *arguments)
        result = rule(*(value.handle if isinstance(value, tensor) else value for value in arguments))
        if result is None:
            return None
        return self.typed(result, *(value for value in arguments if isinstance(value, tensor)))

    def _moved(self, op: Op, arguments: Sequence[Any]) -> Any:
        """The errors of what is moved, by moving the errors."""

        def as_error(value: Any) -> Any:
            if not isinstance(value, tensor):
                return value
            error = error_of(value)
            return tensor(np.zeros(value.shape) if error is None else error, block(float64, value.shape))

        moved = self._plain(op, [as_error(value) for value in arguments])
        errors = [np.abs(one.handle) for one in _flat([moved])]
        return errors if isinstance(moved, tuple) else errors[0]

    def _access(self, op: Op, arguments: Sequence[Any]) -> Any:
        """Loads and stores: only what is stored, and `other`, may be off."""
        stores = "store" in op.name or "scatter" in op.name
        data = {"store": 1, "load": 2}.get(op.name, len(arguments) - 1 if stores else None)
        for index, argument in enumerate(arguments):
            if index != data and any(
                np.any(error_of(each)) for each in _flat([argument]) if error_of(each) is not None
            ):
                raise AmbiguousError(op.name)
        error = error_of(arguments[data]) if data is not None else None
        self.memory.pending = error if stores else None
        try:
            result = self._plain(op, arguments)
        finally:
            self.memory.pending = None
        if stores:
            return result
        found = self.memory.found
        if error is not None:
            found = np.where(arguments[1].handle, 0.0 if found is None else found, error)
        return _with(result, found)

    def _combined(self, op: Op, arguments: Sequence[Any]) -> Any:
        """Sums and products of floats take any order; what chooses among its elements needs none."""
        values = arguments[0] if isinstance(arguments[0], (tuple, list)) else (arguments[0],)
        axis, function = arguments[1], getattr(arguments[2], "function", arguments[2])
        result = self._plain(op, arguments)
        broken = any(error_of(one) is not None for one in values)
        floats = any(one.dtype.is_floating() for one in values)
        if not broken and not floats:
            return _exact(result)
        if len(values) == 1 and floats and function is _sum_combine:
            return _with(_exact(result), _sum_error(op.name, values[0], axis, result))
        if len(values) == 1 and not broken and function is _prod_combine:
            return _with(_exact(result), _product_error(values[0], axis, result))
        if not broken and (isinstance(function, LibraryFunction) or "choose" in function.__name__):
            return _with(_exact(result), _zeros_of_either_sign(result))
        unknown = [np.full(one.shape, np.inf) for one in _flat([result])]
        return _with(_exact(result), unknown if isinstance(result, tuple) else unknown[0])


def _exact(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_exact, result))
    return tensor(result.handle, result.type, result.known)


def _zeros_of_either_sign(result: Any) -> Any:
    """Which of two zeros is larger is open."""
    found = [np.where(np.asarray(one.handle) == 0, 5e-324, 0.0) if one.dtype.is_floating() else np.zeros(())
             for one in _flat([result])]  # fmt: skip
    return found if isinstance(result, tuple) else found[0]


def _flat(values: Any) -> list[Any]:
    result = []
    for value in values:
        result += _flat(value) if isinstance(value, (tuple, list)) else [value]
    return result


def _with(result: Any, error: Any) -> Any:
    if isinstance(result, tuple):
        errors = error if isinstance(error, (tuple, list)) else [error] * len(result)
        return type(result)(*map(_with, result, errors)) if hasattr(result, "_fields") else tuple(
            map(_with, result, errors))  # fmt: skip
    if not isinstance(result, tensor):
        return result
    if error is None or not np.any(error):
        return tensor(result.handle, result.type, result.known) if isinstance(result, Bounded) else result
    error = np.broadcast_to(np.asarray(error, np.float64), result.shape).copy()
    return Bounded(result, _settled(result, error))


def _settled(result: tensor, error: Any) -> Any:
    """Bounds beside what is not finite: a NaN that is certain stays one, what may overflow may be anything."""
    if not result.dtype.is_floating():
        return np.where(error > 0, np.inf, 0.0)
    values = np.abs(np.asarray(result.handle, np.float64))
    error = np.where(np.isnan(error), np.inf, error)
    largest = _largest(result.dtype)
    near = (error > 0) & ~np.isnan(values) & (values + error >= largest)
    return np.where(near, np.inf, np.where(np.isnan(values) & np.isfinite(error), 0.0, error))


def _largest(kind: Any) -> float:
    return {"fp16": 65504.0, "bf16": 3.38e38, "fp32": 3.4028e38, "fp64": 1.797e308, "fp8e5": 57344.0,
            "fp8e4nv": 448.0, "fp8e4b8": 240.0, "fp8e5b16": 57344.0}[kind.name]  # fmt: skip


def _unit(kind: Any) -> float:
    """Half of the distance from one to the next number."""
    return float(2.0 ** -(kind.fp_mantissa_width + 1))


def _tiny(kind: Any) -> float:
    """The smallest denormal number."""
    least = {"fp16": -14, "bf16": -126, "fp32": -126, "fp64": -1022, "fp8e5": -14}.get(kind.name, -7)
    return float(2.0 ** max(least - kind.fp_mantissa_width, -1074))


def _wide(value: Any) -> Any:
    return np.abs(np.asarray(value.handle, np.float64))


def _rounding(result: Any, units: float = 1.0) -> Any:
    """The error of rounding a result; none where it is zero or not finite for certain."""
    values = np.abs(np.asarray(result.handle, np.float64))
    return np.where(np.isfinite(values), units * (values * _unit(result.dtype) + _tiny(result.dtype)), 0.0)


def _rule(name: str, arguments: Sequence[Any], given: list[Any], result: Any) -> Any:
    """The error of an op's result."""
    outputs = _flat([result])
    errors = [error_of(value) for value in given]
    certain = all(error is None or not error.any() for error in errors)
    if not all(isinstance(one, tensor) for one in outputs):
        if not certain:
            raise AmbiguousError(name)
        return None
    exact = [np.zeros(()) if error is None else error for error in errors]
    floats = bool(outputs) and outputs[0].dtype.is_floating()
    if name == "cast":
        return _cast_error(arguments, given[0], exact[0], result)
    if name == "where":
        return np.where(exact[0] > 0, np.inf, np.where(given[0].handle, exact[1], exact[2]))
    if name in COMPARISONS and given[0].dtype.is_floating() and not certain:
        apart = np.abs(np.asarray(given[0].handle, np.float64) - np.asarray(given[1].handle, np.float64))
        total = exact[0] + exact[1]
        return np.where((total > 0) & ~(apart > total), np.inf, 0.0)
    if name in ("dot",):
        return _dot_error(arguments, result) if certain else np.full(result.shape, np.inf)
    if floats and name in ("add", "sub"):
        total = exact[0] + exact[1]
        return np.where(total > 0, total + _rounding(result), 0.0)
    if floats and name in ("mul",):
        return _product(given, exact, result)
    if floats and name in ("truediv", "fdiv"):
        return _quotient_error(given, exact, result)
    if floats and name in ("maximum", "minimum", "clamp") and (certain or name != "clamp"):
        return _choice_error(given, exact, result)
    if name == "gather":
        return _gather_error(arguments, given, result)
    if certain and (not floats or name in EXACT_FUNCTIONS or name in _DATA):
        return None
    if certain and name == "fma":
        wide = [np.asarray(value.handle, np.longdouble) for value in given]
        same = wide[0] * wide[1] + wide[2] == np.asarray(result.handle, np.longdouble)
        return np.where(same & (result.dtype.name != "fp64"), 0.0, _rounding(result, 2.0))
    if certain and name in _PROPAGATING:
        return None
    if certain:
        return _rounding(result, FUNCTION_ULPS)
    rounded = not (name in EXACT_FUNCTIONS or name in _DATA or name in _PROPAGATING)
    return _unknown(errors, outputs, result, rounded=rounded)


# They compute with ops of the language, which have been bounded, or with none.
_PROPAGATING = frozenset({"map_elementwise", "reduce_with_indices"})
_DATA = (
    frozenset({"program_id", "arange", "constant", "histogram", "builtin_min", "builtin_max", "truediv_exact"}) | MOVES
)


def _unknown(errors: list[Any], outputs: list[Any], result: Any, *, rounded: bool) -> Any:
    """Infinity: in the same lane where the op is one of lanes, everywhere if not."""
    every = []
    for one in outputs:
        bound = _rounding(one, FUNCTION_ULPS) if rounded and one.dtype.is_floating() else np.zeros(one.shape)
        for error in errors:
            if error is None:
                continue
            if error.shape in ((), one.shape):
                bound = np.where(error > 0, np.inf, bound)
            elif error.any():
                bound = np.full(one.shape, np.inf)
        every.append(bound)
    return every if isinstance(result, tuple) else every[0]


def _product(given: list[Any], exact: list[Any], result: Any) -> Any:
    a, b = (_wide(value) for value in given)
    with np.errstate(all="ignore"):
        error = np.nan_to_num(a * exact[1], nan=0.0, posinf=np.inf) + np.nan_to_num(
            b * exact[0], nan=0.0, posinf=np.inf
        )
        error = error + np.nan_to_num(exact[0] * exact[1], nan=0.0, posinf=np.inf)
        wide = a.astype(np.longdouble) * b.astype(np.longdouble)
    rounded = ~(wide == _wide(result)) & np.isfinite(_wide(result)) & np.isfinite(wide)
    if result.dtype.name == "fp64":
        whole = (np.rint(a) == a) & (np.rint(b) == b) & (_wide(result) < 2.0**53)
        rounded = ~whole & np.isfinite(_wide(result)) & (_wide(result) != 0)
    # A sum may take in a product that has not overflowed yet.
    error = np.where(np.isinf(_wide(result)) & np.isfinite(a) & np.isfinite(b), np.inf, error)
    # A product that is not rounded by itself, because a sum takes it in, is off by as much.
    return np.where(rounded | (error > 0), error + _rounding(result), 0.0)


def _quotient_error(given: list[Any], exact: list[Any], result: Any) -> Any:
    divisor = _wide(given[1])
    with np.errstate(all="ignore"):
        error = (exact[0] + _wide(result) * exact[1]) / np.maximum(divisor - exact[1], 0.0)
    error = np.where(exact[0] + exact[1] > 0, np.where(divisor > exact[1], error, np.inf), 0.0)
    return np.where((_wide(given[0]) == 0) & (error == 0), 0.0, error + _rounding(result, DIVISION_ULPS))


def _choice_error(given: list[Any], exact: list[Any], result: Any) -> Any:
    largest = np.zeros(result.shape)
    for error in exact:
        largest = np.maximum(largest, error)
    signs = [np.signbit(np.asarray(value.handle, np.float64)) for value in given]
    zeros = np.broadcast_to(np.asarray(result.handle) == 0, result.shape)
    differ = np.zeros(result.shape, bool)
    for sign in signs[1:]:
        differ = differ | (sign != signs[0])
    unsure = np.zeros(result.shape, bool)
    for value, error in zip(given, exact, strict=True):
        unsure = unsure | (np.isnan(np.asarray(value.handle, np.float64)) & (error > 0))
    # Which of two zeros is larger is open.
    return np.where(unsure, np.inf, np.where(zeros & differ, np.maximum(largest, 5e-324), largest))


def _cast_error(arguments: Sequence[Any], source: Any, error: Any, result: Any) -> Any:
    bitcast = arguments[3]
    if source.dtype == result.dtype or source.dtype.is_ptr() or result.dtype.is_ptr():
        return error
    if source.dtype.is_floating() and (bitcast or not result.dtype.is_floating()):
        # A NaN has many bits.
        nans = np.isnan(np.asarray(source.handle, np.float64)) & bool(bitcast)
        return np.where((error > 0) | nans, np.inf, 0.0)
    if bitcast or not result.dtype.is_floating():
        return np.where(error > 0, np.inf, 0.0)
    if not source.dtype.is_floating():
        return np.where(error > 0, np.inf, 0.0)
    narrower = result.dtype.fp_mantissa_width < source.dtype.fp_mantissa_width
    return np.where(error > 0, error + (2 * _rounding(result) if narrower else 0.0), 0.0)


def _gather_error(arguments: Sequence[Any], given: list[Any], result: Any) -> Any:
    source, index = given[0], given[1]
    if error_of(index) is not None and error_of(index).any():
        return np.full(result.shape, np.inf)
    error = error_of(source)
    extent = source.shape[arguments[2]]
    # Outside of the block the result is open.
    places = np.asarray(index.handle).astype(np.float64)
    outside = (places < 0) | (places >= extent)
    inside = np.clip(index.handle, 0, extent - 1).astype(np.int64)
    moved = 0.0 if error is None else np.take_along_axis(error, inside, arguments[2])
    return np.where(outside, np.inf, moved)


def _quantum(values: Any) -> Any:
    """The largest power of two that divides every value; infinity if all are zero."""
    finite = values[np.isfinite(values) & (values != 0)]
    if not finite.size:
        return np.inf
    fraction, exponent = np.frexp(finite)
    digits = (np.abs(fraction) * 2.0**53).astype(np.int64)
    trailing = np.log2((digits & -digits).astype(np.float64))
    return float(2.0 ** np.min(exponent - 53 + trailing))


def _sum_error(name: str, value: Any, axis: Any, result: Any) -> Any:
    """Zero if every partial sum is a number of the type, in whatever order."""
    values = np.asarray(value.handle, np.float64)
    own = np.zeros(values.shape) if error_of(value) is None else value.error
    finite = np.where(np.isfinite(values), np.abs(values), 0.0)

    def along(array: Any) -> Any:
        total = array.sum() if axis is None else np.sum(array, axis, keepdims=name != "reduce")
        return np.broadcast_to(np.reshape(total, result.shape) if name == "reduce" else total, result.shape)

    total = along(finite)
    largest = float(np.max(total, initial=0.0))
    if not own.any() and largest <= _quantum(values) * 2.0 ** (value.dtype.fp_mantissa_width + 1):
        return None if largest < _largest(value.dtype) else np.where(total < _largest(value.dtype), 0.0, np.inf)
    count = values.size if axis is None else values.shape[axis]
    bound = along(own) + total * count * 2 * _unit(value.dtype)
    return np.where(total >= _largest(value.dtype) / 2, np.inf, bound)


def _product_error(value: Any, axis: Any, result: Any) -> Any:
    values = np.abs(np.asarray(value.handle, np.float64))
    every = np.where(np.isfinite(values), np.maximum(values, 1.0), np.inf)
    with np.errstate(all="ignore"):
        largest = np.prod(every, axis=axis)
    if np.max(largest) <= 2.0 ** (value.dtype.fp_mantissa_width + 1) and np.all(np.rint(values) == values):
        return None
    return np.full(result.shape, np.inf)


def _dot_error(arguments: Sequence[Any], result: Any) -> Any:
    left, right, acc = arguments[0], arguments[1], arguments[2]
    if not result.dtype.is_floating():
        return None
    a, b = np.asarray(left.handle, np.float64), np.asarray(right.handle, np.float64)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return np.full(result.shape, np.inf)
    total = np.abs(a) @ np.abs(b) + (0.0 if acc is None else _wide(acc))
    if not np.isfinite(total).all():
        return np.full(result.shape, np.inf)
    quantum = _quantum(a) * _quantum(b)
    if acc is not None:
        quantum = min(quantum, _quantum(np.asarray(acc.handle, np.float64)))
    # tf32, which a GPU may compute products of f32 in, has eleven bits.
    narrow = left.dtype.name == "fp32" and arguments[3] != "ieee"
    few = narrow and max(np.abs(a).max() / _quantum(a), np.abs(b).max() / _quantum(b)) > 2.0**11
    if np.max(total) <= quantum * 2.0 ** (result.dtype.fp_mantissa_width + 1) and not few:
        return None
    unit = 2.0**-10 if few else _unit(result.dtype)
    bound = total * (a.shape[-1] + 2) * 2 * unit
    return np.where(total >= _largest(result.dtype) / 2, np.inf, bound)
