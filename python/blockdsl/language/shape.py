"""Ops that rearrange elements: new axes, broadcasts, transposes, reshapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import expects
from . import attributes
from .constexpr import unwrap
from .op import METHODS, Emitter, Mode, library, op
from .scalars import literal_type, plain
from .tensor import tensor
from .types import Type, block


def as_tensor(mode: Mode, value: Any) -> tensor:
    """Returns a tensor unchanged, and a Python number as a scalar of its literal type."""
    if isinstance(value, tensor):
        return value
    number = unwrap(value)
    result = mode.constant(number, literal_type(number))
    assert isinstance(result, tensor)
    return result


def extents(values: Sequence[Any]) -> tuple[int, ...]:
    """Returns the shape in variadic arguments: ``f(x, 2, 4)`` or ``f(x, (2, 4))``, with plain values of constexprs."""
    flat = values[0] if len(values) == 1 and isinstance(values[0], (tuple, list)) else values
    return tuple(plain(unwrap(value)) for value in flat)


def wrap_axis(op: str, axis: Any, rank: int) -> int:
    """Returns a non-negative axis. Raises TypeMismatchError outside of ``-rank <= axis < rank``."""
    axis = unwrap(axis)
    expects(isinstance(axis, int), f"'{op}' expects a compile-time axis, got {axis!r}")
    expects(
        -rank <= axis < rank, f"'{op}' expects an axis from {-rank} to {rank - 1} for {rank} dimensions, got {axis}"
    )
    return int(axis % rank)


def broadcast_shape(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the common shape of two blocks by NumPy's rules. Raises TypeMismatchError if there is none."""
    if not left or left == right:
        return right
    if not right:
        return left
    rank = max(len(left), len(right))
    padded = ((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right)
    for axis, (a, b) in enumerate(zip(*padded, strict=True)):
        expects(
            a == b or 1 in (a, b),
            f"shapes {left} and {right} do not broadcast: {a} and {b} differ at axis {axis}",
            hint="add an axis of extent 1 with x[:, None] or x[None, :]",
        )
    return tuple(max(a, b) for a, b in zip(*padded, strict=True))


def broadcast_value(mode: Mode, value: tensor, shape: tuple[int, ...]) -> tensor:
    """Broadcasts a value to a larger shape: splat for a scalar, new leading axes and stretched extents for a block."""
    if value.shape == shape:
        return value
    result = block(value.dtype, shape)
    if not value.shape:
        return _tensor(mode.run(splat, (value, result), {}))
    while len(value.shape) < len(shape):
        value = _tensor(mode.run(expand_dims, (value, 0), {}))
    return value if value.shape == shape else _tensor(mode.run(stretch, (value, result), {}))


def _tensor(value: Any) -> tensor:
    assert isinstance(value, tensor)
    return value


@op()
def splat(value: tensor, type: Type) -> tensor:
    """A block whose elements all equal a scalar. Arithmetic does this implicitly.

    Example:
        block = splat(s, tl.block_type(tl.float32, (16,)))
    """


@splat.emit
def _emit_splat(e: Emitter, value: tensor, type: Type) -> Any:
    return e.create("tt.splat", value, result=type) if value.known is None else e.constant(value.known, type)


@splat.reference
def _reference_splat(e: Any, value: tensor, type: Type) -> tensor:
    return tensor(np.broadcast_to(value.handle, type.shape), type)


@op()
def stretch(value: tensor, type: Type) -> tensor:
    """A block with extents of 1 repeated. Arithmetic does this implicitly.

    Example:
        wide = stretch(column, tl.block_type(tl.float32, (16, 32)))
    """


@stretch.emit
def _emit_stretch(e: Emitter, value: tensor, type: Type) -> Any:
    return e.create("tt.broadcast", value, result=type)


@stretch.reference
def _reference_stretch(e: Any, value: tensor, type: Type) -> tensor:
    return tensor(np.broadcast_to(value.handle, type.shape), type)


def _broadcast_operands(mode: Mode, input: Any, other: Any) -> tuple[tensor, tensor]:
    left, right = as_tensor(mode, input), as_tensor(mode, other)
    shape = broadcast_shape(left.shape, right.shape)
    return broadcast_value(mode, left, shape), broadcast_value(mode, right, shape)


@op(operands=_broadcast_operands)
def broadcast(input: tensor, other: tensor) -> tuple[tensor, tensor]:
    """Brings two blocks to their common shape.

    Returns:
        Both operands in that shape.

    Raises:
        TypeMismatchError: Two extents differ and neither is 1.

    Example:
        a, b = tl.broadcast(row, column)      # (1, 32) and (16, 1) give two of (16, 32)
    """


@broadcast.emit
def _emit_broadcast(e: Emitter, input: tensor, other: tensor) -> Any:
    return input, other


@broadcast.reference
def _reference_broadcast(e: Any, input: tensor, other: tensor) -> Any:
    return input, other


def _broadcast_to_operands(mode: Mode, input: Any, shape: Any) -> tuple[tensor, tuple[int, ...]]:
    value, target = as_tensor(mode, input), extents(shape)
    block(value.dtype, target)
    common = broadcast_shape(value.shape, target)
    expects(
        common == target and len(value.shape) in (0, len(target)),
        f"'broadcast_to' cannot bring shape {value.shape} to {target}",
    )
    return broadcast_value(mode, value, target), target


@op(operands=_broadcast_to_operands, method=True)
def broadcast_to(input: tensor, *shape: int) -> tensor:
    """Stretches a block's extents of 1 to a shape.

    Raises:
        TypeMismatchError: An extent other than 1 would change, or the ranks differ.

    Example:
        rows = tl.broadcast_to(x[:, None], (16, 32))
    """


@broadcast_to.emit
def _emit_broadcast_to(e: Emitter, input: tensor, shape: Any) -> Any:
    return input


@broadcast_to.reference
def _reference_broadcast_to(e: Any, input: tensor, shape: Any) -> Any:
    return input


def _expand_operands(mode: Mode, input: Any, axis: Any) -> tuple[tensor, int]:
    value = as_tensor(mode, input)
    axes = unwrap(axis)
    axes = [axes] if isinstance(axes, int) else [unwrap(one) for one in axes]
    rank = len(value.shape) + len(axes)
    wrapped = sorted(wrap_axis("expand_dims", one, rank) for one in axes)
    expects(len(set(wrapped)) == len(wrapped), f"'expand_dims' expects each axis once, got {tuple(axes)}")
    if not value.shape:
        return broadcast_value(mode, value, (1,) * rank), -1
    for one in wrapped[:-1]:
        value = _tensor(mode.run(expand_dims, (value, one), {}))
    return value, wrapped[-1]


@op(operands=_expand_operands, method=True)
def expand_dims(input: tensor, axis: int | Sequence[int]) -> tensor:
    """Adds axes of extent 1, as ``x[:, None]`` does.

    Args:
        input: A block of any dtype.
        axis: The indices of the new axes in the result's shape.

    Raises:
        TypeMismatchError: An axis is out of range or named twice.

    Example:
        column = tl.expand_dims(tl.arange(0, 16), 1)      # (16,) gives (16, 1)
    """


@expand_dims.emit
def _emit_expand_dims(e: Emitter, input: tensor, axis: int) -> Any:
    return input if axis < 0 else e.create("tt.expand_dims", input, attributes={"axis": attributes.i32(axis)})


@expand_dims.reference
def _reference_expand_dims(e: Any, input: tensor, axis: int) -> Any:
    if axis < 0:
        return input
    shape = (*input.shape[:axis], 1, *input.shape[axis:])
    return tensor(np.expand_dims(input.handle, axis), block(input.dtype, shape))


def _permute_operands(mode: Mode, input: tensor, dims: Any) -> tuple[tensor, tuple[int, ...]]:
    rank = len(input.shape)
    order = tuple(wrap_axis("permute", axis, rank) for axis in extents(dims))
    expects(
        sorted(order) == list(range(rank)),
        f"'permute' expects every axis of {input.shape} once, got {extents(dims)}",
    )
    return input, order


@op(operands=_permute_operands, method=True)
def permute(input: tensor, *dims: int) -> tensor:
    """Reorders the axes: axis ``i`` of the result is axis ``dims[i]`` of the input.

    Raises:
        TypeMismatchError: ``dims`` does not name each axis once.

    Example:
        y = tl.permute(x, (2, 0, 1))
    """


@permute.emit
def _emit_permute(e: Emitter, input: tensor, dims: tuple[int, ...]) -> Any:
    return e.create("tt.trans", input, attributes={"order": attributes.i32_array(dims)})


@permute.reference
def _reference_permute(e: Any, input: tensor, dims: tuple[int, ...]) -> Any:
    shape = tuple(input.shape[axis] for axis in dims)
    return tensor(np.transpose(input.handle, dims), block(input.dtype, shape))


def _trans_operands(mode: Mode, input: tensor, dims: Any) -> tuple[tensor, Any]:
    rank = len(input.shape)
    expects(rank >= 2, f"'trans' expects a block of two dimensions or more, got shape {input.shape}")
    order = extents(dims) or (*range(rank - 2), rank - 1, rank - 2)
    return _permute_operands(mode, input, order)


@op(operands=_trans_operands, method=True)
def trans(input: tensor, *dims: int) -> tensor:
    """Swaps the last two axes, or reorders all axes if ``dims`` is given.

    Raises:
        TypeMismatchError: The block has fewer than two axes, or ``dims`` does not name each axis once.

    Example:
        kt = tl.trans(k)        # (16, 32) gives (32, 16)
    """


trans.emit(_emit_permute)
trans.reference(_reference_permute)


def _reshape_operands(mode: Mode, input: Any, shape: Any, can_reorder: Any) -> tuple[tensor, tuple[int, ...], bool]:
    value, target = as_tensor(mode, input), extents(shape)
    block(value.dtype, target)
    expects(
        prod(target) == value.numel,
        f"'reshape' expects {value.numel} elements of shape {value.shape}, got shape {target} with {prod(target)}",
    )
    if not value.shape:
        value = broadcast_value(mode, value, (1,) * len(target))
    return value, target, bool(unwrap(can_reorder))


@op(operands=_reshape_operands, method=True)
def reshape(input: tensor, *shape: int, can_reorder: bool = False) -> tensor:
    """Gives a block another shape with the same number of elements, in row-major order.

    Args:
        input: A block.
        shape: The new extents.
        can_reorder: The compiler may change the order of elements. The CPU never does.

    Raises:
        TypeMismatchError: The number of elements differs.

    Example:
        y = tl.reshape(x, (32, 16))
    """


@reshape.emit
def _emit_reshape(e: Emitter, input: tensor, shape: tuple[int, ...], can_reorder: bool) -> Any:
    given = {"allow_reorder": "unit"} if can_reorder else {}
    return e.create("tt.reshape", input, attributes=given, result=block(input.dtype, shape))


@reshape.reference
def _reference_reshape(e: Any, input: tensor, shape: tuple[int, ...], can_reorder: bool) -> Any:
    return tensor(input.handle.reshape(shape), block(input.dtype, shape))


@op(operands=lambda mode, input, shape: (*_reshape_operands(mode, input, shape, True)[:2],), method=True)
def view(input: tensor, *shape: int) -> tensor:
    """Another shape for the same elements, whose order the compiler may change. Prefer ``reshape``.

    Example:
        y = tl.view(x, (512,))
    """


@view.emit
def _emit_view(e: Emitter, input: tensor, shape: tuple[int, ...]) -> Any:
    return _emit_reshape(e, input, shape, True)


@view.reference
def _reference_view(e: Any, input: tensor, shape: tuple[int, ...]) -> Any:
    return _reference_reshape(e, input, shape, True)


@library(method=True)
def ravel(x: tensor, can_reorder: bool = False) -> tensor:
    """A block with one axis and the same elements.

    Example:
        y = tl.ravel(x)       # (16, 32) gives (512,)
    """
    return reshape(x, [x.numel], can_reorder=can_reorder)


def _subscript_operands(mode: Mode, input: tensor, key: Any) -> tuple[tensor, tuple[int, ...]]:
    """Returns the axes that ``x[:, None, ...]`` adds."""
    parts = list(key) if isinstance(key, (tuple, list)) else [key]
    parts = [unwrap(part) for part in parts]
    for part in parts:
        plain = part is None or part is Ellipsis or (isinstance(part, slice) and part == slice(None))
        expects(
            plain,
            f"a block is indexed with ':', None and '...' only, got {part.type if isinstance(part, tensor) else part}",
            hint="load the part you need, or use tl.gather, tl.split or tl.sum with a mask",
        )
    rank = len(input.shape)
    sliced = sum(part is not None and part is not Ellipsis for part in parts)
    expects(sliced <= rank, f"a block of {rank} dimensions is indexed with {sliced} of them")
    if Ellipsis in parts:
        at = parts.index(Ellipsis)
        parts[at : at + 1] = [slice(None)] * (rank - sliced)
    else:
        parts += [slice(None)] * (rank - sliced)
    return input, tuple(axis for axis, part in enumerate(parts) if part is None)


@op(operands=_subscript_operands)
def subscript(input: tensor, key: Any) -> tensor:
    """Adds axes of extent 1: ``x[:, None]``. Elements of a block cannot be indexed.

    Raises:
        TypeMismatchError: The index holds anything but ``:``, ``None`` and ``...``.

    Example:
        column = x[:, None]
    """


@subscript.emit
def _emit_subscript(e: Emitter, input: tensor, key: tuple[int, ...]) -> Any:
    for axis in key:
        input = e.run(expand_dims, (input, axis), {})
    return input


@subscript.reference
def _reference_subscript(e: Any, input: tensor, key: tuple[int, ...]) -> Any:
    return _emit_subscript(e, input, key)


METHODS["__getitem__"] = subscript
