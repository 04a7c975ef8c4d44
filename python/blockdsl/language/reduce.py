"""Generic reduction: `reduce` takes any combine function. The named reductions are in reductions.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import KernelSyntaxError, expects
from .attributes import i32
from .constexpr import unwrap
from .creation import arange
from .op import Emitter, Mode, op
from .shape import broadcast_to, expand_dims, reshape, wrap_axis
from .tensor import tensor
from .types import Scalar, block


def _reduce_operands(mode: Mode, input: Any, axis: Any, combine_fn: Any, keep_dims: Any) -> tuple[Any, ...]:
    inputs = tuple(input) if isinstance(input, (tuple, list)) else (input,)
    for value in inputs:
        expects(
            isinstance(value, tensor) and bool(value.shape),
            f"'reduce' expects blocks, got {value.type if isinstance(value, tensor) else repr(value)}",
        )
        expects(
            value.shape == inputs[0].shape,
            f"'reduce' expects blocks of one shape, got {inputs[0].shape} and {value.shape}",
        )
    axis = unwrap(axis)
    if axis is not None:
        axis = wrap_axis("reduce", axis, len(inputs[0].shape))
    return input, axis, combine_fn, bool(unwrap(keep_dims))


@op(operands=_reduce_operands, method=True)
def reduce(input: tensor, axis: int | None, combine_fn: Callable[..., Any], keep_dims: bool = False) -> tensor:
    """Combines all elements along an axis with a function.

    Args:
        input: A block, or a tuple of blocks of one shape that are combined together.
        axis: The axis to reduce; None reduces all elements.
        combine_fn: A jit function of two elements (of ``2 n`` for a tuple of ``n``), associative and commutative.
        keep_dims: Keep the axis with extent 1.

    Returns:
        A block without the axis, a scalar if no axis is left; a tuple for a tuple.

    Raises:
        TypeMismatchError: The axis is out of range, or ``combine_fn`` returns other types than it takes.

    Example:
        @blockdsl.jit
        def larger(a, b):
            return tl.maximum(a, b)

        m = tl.reduce(x, 1, larger)
    """


def _inputs(input: Any) -> tuple[tensor, ...]:
    return input if isinstance(input, tuple) else tuple(input) if isinstance(input, list) else (input,)


def combine_region(e: Emitter, name: str, terminator: str, inputs: tuple[tensor, ...], combine_fn: Any) -> Any:
    """Returns the region that combines two groups of elements with a jit function."""

    def body(*elements: tensor) -> None:
        results = e.call(combine_fn, elements, {})
        values = results if isinstance(results, tuple) else (results,)
        check_combined(name, [value.dtype for value in inputs], values)
        e.create(terminator, *values, result=())

    return e.region([value.dtype for value in inputs] * 2, body)


def check_combined(name: str, expected: list[Scalar], values: tuple[Any, ...]) -> None:
    """Raises TypeMismatchError unless a combine function returned scalars of the types that it took."""
    got = [value.dtype if isinstance(value, tensor) else repr(value) for value in values]
    expects(
        len(got) == len(expected) and all(a == b for a, b in zip(got, expected, strict=True)),
        f"'{name}' expects combine_fn to return ({', '.join(map(str, expected))}), got ({', '.join(map(str, got))})",
        hint="the combined value has the type of the elements",
    )


@reduce.emit
def _emit_reduce(e: Emitter, input: Any, axis: int | None, combine_fn: Any, keep_dims: bool) -> Any:
    inputs = _inputs(input)
    rank = len(inputs[0].shape)
    if axis is None:
        inputs = tuple(e.run(reshape, (value, (value.numel,)), {"can_reorder": True}) for value in inputs)
    at = axis or 0
    region = combine_region(e, "reduce", "tt.reduce.return", inputs, combine_fn)
    shape = inputs[0].shape[:at] + inputs[0].shape[at + 1 :]
    types = [block(value.dtype, shape) for value in inputs]
    made = e.create("tt.reduce", *inputs, attributes={"axis": i32(at)}, result=types, regions=[region])
    results = made if isinstance(made, tuple) else (made,)
    if keep_dims:
        axes = [axis] if axis is not None else [0] * rank
        for new_axis in axes:
            results = tuple(e.run(expand_dims, (value, new_axis), {}) for value in results)
    return results if isinstance(input, (tuple, list)) else results[0]


@reduce.reference
def _reference_reduce(e: Any, input: Any, axis: int | None, combine_fn: Any, keep_dims: bool) -> Any:
    inputs = _inputs(input)
    rank = len(inputs[0].shape)
    if axis is None:
        values = [tensor(value.handle.reshape(-1), block(value.dtype, (value.numel,))) for value in inputs]
    else:
        values = [_axis_first(value, axis) for value in inputs]
    while values[0].shape[0] > 1:
        # Neighbors are combined, which preserves the order of elements.
        halves = [part(value, start) for start in (0, 1) for value in values]
        values = combined(e, "reduce", combine_fn, halves, [value.dtype for value in inputs])
    results = []
    for value in values:
        shape: tuple[int, ...] = value.shape[1:]
        if keep_dims:
            shape = (1,) * rank if axis is None else (*shape[:axis], 1, *shape[axis:])
        results.append(tensor(value.handle.reshape(shape), block(value.dtype, shape)))
    return tuple(results) if isinstance(input, (tuple, list)) else results[0]


def _axis_first(value: tensor, axis: int) -> tensor:
    moved = np.moveaxis(value.handle, axis, 0)
    return tensor(moved, block(value.dtype, moved.shape))


def part(value: tensor, start: int) -> tensor:
    """Returns every second element along the first axis."""
    return tensor(value.handle[start::2], block(value.dtype, (value.shape[0] // 2, *value.shape[1:])))


def combined(e: Any, name: str, combine_fn: Any, operands: list[tensor], expected: list[Scalar]) -> list[tensor]:
    """Calls a combine function on whole blocks, or on each element if it branches on its arguments."""
    shape = operands[0].shape
    try:
        results = e.call(combine_fn, operands, {})
    except KernelSyntaxError:
        return _elementwise_combined(e, name, combine_fn, operands, expected)
    values = results if isinstance(results, tuple) else (results,)
    check_combined(name, expected, values)
    return [tensor(np.broadcast_to(value.handle, shape), block(value.dtype, shape)) for value in values]


def _elementwise_combined(
    e: Any, name: str, combine_fn: Any, operands: list[tensor], expected: list[Scalar]
) -> list[tensor]:
    shape = operands[0].shape
    outputs = [np.empty(shape, operands[at].handle.dtype) for at in range(len(expected))]
    for index in np.ndindex(shape):
        elements = [tensor(np.asarray(operand.handle[index]), operand.dtype) for operand in operands]
        results = e.call(combine_fn, elements, {})
        values = results if isinstance(results, tuple) else (results,)
        check_combined(name, expected, values)
        for output, value in zip(outputs, values, strict=True):
            output[index] = value.handle
    return [tensor(output, block(kind, shape)) for output, kind in zip(outputs, expected, strict=True)]


@op(operands=lambda mode, input, axis, combine_fn, keep_dims: (input, unwrap(axis), combine_fn, keep_dims))
def reduce_with_indices(
    input: tensor, axis: int | None, combine_fn: Callable[..., Any], keep_dims: bool = False
) -> tuple[tensor, tensor]:
    """Reduces a block together with the positions of its elements along an axis.

    Example:
        value, place = reduce_with_indices(x, 1, larger)
    """


@reduce_with_indices.emit
def _emit_reduce_with_indices(e: Mode, input: tensor, axis: int | None, combine_fn: Any, keep_dims: bool) -> Any:
    expects(
        axis is not None, f"positions need an axis, got None for shape {input.shape}", hint="name an axis, or ravel"
    )
    at, rank = wrap_axis("reduce", axis, len(input.shape)), len(input.shape)
    index = e.run(arange, (0, input.shape[at]), {})
    if rank > 1:
        index = e.run(expand_dims, (index, [one for one in range(rank) if one != at]), {})
        index = e.run(broadcast_to, (index, input.shape), {})
    return e.run(reduce, ((input, index), at, combine_fn, keep_dims), {})


@reduce_with_indices.reference
def _reference_reduce_with_indices(e: Any, input: tensor, axis: int | None, combine_fn: Any, keep_dims: bool) -> Any:
    return _emit_reduce_with_indices(e, input, axis, combine_fn, keep_dims)
