"""Ops that select between values: where, maximum, minimum, clamp, and the replacements of Python's min and max."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..errors import expects
from .attributes import PropagateNan, i32
from .cast import cast
from .constexpr import unwrap
from .elementwise import family
from .folding import fold_op
from .numerics import Array, larger_number, smaller_number
from .op import Emitter, Mode, as_method, op
from .promotion import arithmetic, promote, ternary, together, type_of
from .scalars import ScalarNumber
from .shape import as_tensor, broadcast_shape, broadcast_value
from .tensor import tensor
from .types import int1


def _where_operands(mode: Mode, condition: Any, x: Any, y: Any) -> tuple[tensor, ...]:
    chosen = as_tensor(mode, condition)
    chosen = mode.run(cast, (chosen, int1), {})
    a, b = type_of(unwrap(x)), type_of(unwrap(y))
    if a.is_ptr() or b.is_ptr():
        expects(a == b, f"'where' expects two values of one type, got {a} and {b}")
        x, y = together(mode, as_tensor(mode, x), as_tensor(mode, y))
    else:
        x, y = promote(mode, "where", x, y)
    shape = broadcast_shape(chosen.shape, x.shape)
    if chosen.shape:
        x, y = broadcast_value(mode, x, shape), broadcast_value(mode, y, shape)
    return broadcast_value(mode, chosen, shape), x, y


@op(operands=_where_operands)
def where(condition: tensor, x: tensor, y: tensor) -> tensor:
    """Elements of ``x`` where the condition is true and of ``y`` elsewhere. Both are evaluated.

    Args:
        condition: Bools; other numbers are true if they are not zero.
        x: A scalar, block or Python number.
        y: The same; promoted and broadcast with ``x``.

    Raises:
        TypeMismatchError: The shapes do not broadcast, or pointers have different types.

    Example:
        y = tl.where(x > 0, x, 0.0)
    """


@where.emit
def _emit_where(e: Emitter, condition: tensor, x: tensor, y: tensor) -> Any:
    return e.create("arith.select", condition, x, y, result=x.type)


@where.reference
def _reference_where(e: Any, condition: tensor, x: tensor, y: tensor) -> Any:
    return tensor(np.where(condition.handle, x.handle, y.handle), x.type)


@op(operands=arithmetic("maximum"))
def maximum(x: tensor, y: tensor, propagate_nan: int = PropagateNan.NONE) -> tensor:
    """The larger of two values, elementwise.

    Args:
        x: A scalar, block or Python number.
        y: A scalar, block or Python number.
        propagate_nan: ``tl.PropagateNan.NONE`` returns the other value if one is NaN; ``ALL`` returns NaN.

    Example:
        y = tl.maximum(x, 0.0)
    """


@maximum.emit
def _emit_maximum(e: Emitter, x: tensor, y: tensor, propagate_nan: int) -> Any:
    floating = "arith.maximumf" if propagate_nan else "arith.maxnumf"
    return e.create(family(x, "arith.maxsi", "arith.maxui", floating), x, y)


@maximum.reference
def _reference_maximum(x: Array, y: Array, propagate_nan: int) -> Any:
    return (np.maximum if propagate_nan else larger_number)(x, y)


@op(operands=arithmetic("minimum"))
def minimum(x: tensor, y: tensor, propagate_nan: int = PropagateNan.NONE) -> tensor:
    """The smaller of two values, elementwise.

    Args:
        x: A scalar, block or Python number.
        y: A scalar, block or Python number.
        propagate_nan: ``tl.PropagateNan.NONE`` returns the other value if one is NaN; ``ALL`` returns NaN.

    Example:
        last = tl.minimum(start + BLOCK, n)
    """


@minimum.emit
def _emit_minimum(e: Emitter, x: tensor, y: tensor, propagate_nan: int) -> Any:
    floating = "arith.minimumf" if propagate_nan else "arith.minnumf"
    return e.create(family(x, "arith.minsi", "arith.minui", floating), x, y)


@minimum.reference
def _reference_minimum(x: Array, y: Array, propagate_nan: int) -> Any:
    return (np.minimum if propagate_nan else smaller_number)(x, y)


@op(operands=ternary("clamp"), method=True)
def clamp(x: tensor, min: tensor, max: tensor, propagate_nan: int = PropagateNan.NONE) -> tensor:
    """Numbers limited to the range from ``min`` to ``max``. Undefined where ``min > max``.

    Args:
        x: A scalar or block.
        min: The lower limit: a scalar, block or Python number.
        max: The upper limit.
        propagate_nan: ``tl.PropagateNan.NONE`` returns ``min`` where ``x`` is NaN; ``ALL`` returns NaN.

    Example:
        y = tl.clamp(x, 0.0, 6.0)
    """


@clamp.emit
def _emit_clamp(e: Emitter, x: tensor, min: tensor, max: tensor, propagate_nan: int) -> Any:
    if not x.dtype.is_floating():
        return e.run(minimum, (e.run(maximum, (x, min), {}), max), {})
    return e.create("tt.clampf", x, min, max, attributes={"propagateNan": i32(propagate_nan)})


@clamp.reference
def _reference_clamp(x: Array, min: Array, max: Array, propagate_nan: int) -> Any:
    limited = smaller_number(larger_number(x, min), max)
    return np.where(np.isnan(x), x, limited) if propagate_nan else limited


@op(operands=lambda mode, values, propagate_nan: (tuple(map(unwrap, values)), unwrap(propagate_nan)))
def builtin_min(*values: Any, propagate_nan: int = PropagateNan.NONE) -> Any:
    """Python's ``min`` inside a kernel: the smallest of several values, elementwise for blocks.

    Example:
        rows = min(M - row, BLOCK)
    """


@op(operands=lambda mode, values, propagate_nan: (tuple(map(unwrap, values)), unwrap(propagate_nan)))
def builtin_max(*values: Any, propagate_nan: int = PropagateNan.NONE) -> Any:
    """Python's ``max`` inside a kernel: the largest of several values, elementwise for blocks.

    Example:
        first = max(row - window, 0)
    """


def _fold(name: str, choose: Any, plain: Any) -> Any:
    def facet(e: Any, values: tuple[Any, ...], propagate_nan: int) -> Any:
        if len(values) == 1 and isinstance(values[0], (tuple, list)):
            values = tuple(values[0])
        if not any(isinstance(value, tensor) for value in values):
            if not any(isinstance(value, ScalarNumber) for value in values):
                return plain(values)
            return functools.reduce(functools.partial(fold_op, choose.name), values)
        expects(
            len(values) > 1,
            f"'{name}' expects several values, got one of type {getattr(values[0], 'type', None)}",
            hint=f"use tl.{name}(x, axis) for the elements of a block",
        )
        result = values[0]
        for value in values[1:]:
            result = e.run(choose, (result, value), {"propagate_nan": propagate_nan})
        return result

    return facet


builtin_min.emit(_fold("min", minimum, min))
builtin_min.reference(_fold("min", minimum, min))
builtin_max.emit(_fold("max", maximum, max))
builtin_max.reference(_fold("max", maximum, max))
as_method("where", where)
