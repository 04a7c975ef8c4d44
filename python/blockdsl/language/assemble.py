"""Ops that concatenate and split blocks, or move elements by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import expects
from . import attributes
from .cast import cast
from .constexpr import constexpr, constexpr_function, unwrap
from .numerics import Array
from .op import Emitter, Mode, library, op
from .program import static_range
from .promotion import convert
from .reductions import xor_sum
from .select import minimum
from .shape import as_tensor, broadcast_shape, broadcast_value, expand_dims, permute, reshape, wrap_axis
from .tensor import tensor
from .types import block, dtype, get_int_dtype, int1, int32


def _with_sign_of(mode: Mode, first: tensor, value: tensor) -> tensor:
    """Returns a value with the type of ``first`` if the types differ only in signedness, which the IR does not have."""
    kinds = [each.dtype.ir for each in (first, value)]
    if kinds[0] == kinds[1] and first.dtype.is_int() and value.dtype.is_int() and first.dtype != value.dtype:
        value = mode.run(cast, (value, first.dtype), {})
    return value


def _join_operands(mode: Mode, a: Any, b: Any) -> tuple[tensor, ...]:
    left, right = as_tensor(mode, a), as_tensor(mode, b)
    right = _with_sign_of(mode, left, right)
    expects(left.dtype == right.dtype, f"'join' expects two values of one type, got {left.dtype} and {right.dtype}")
    shape = broadcast_shape(left.shape, right.shape)
    return broadcast_value(mode, left, shape), broadcast_value(mode, right, shape)


@op(operands=_join_operands, method=True)
def join(a: tensor, b: tensor) -> tensor:
    """Two blocks side by side along a last axis of extent 2.

    Raises:
        TypeMismatchError: The types differ, or the shapes do not broadcast.

    Example:
        pairs = tl.join(re, im)       # two of (64,) give (64, 2)
    """


@join.emit
def _emit_join(e: Emitter, a: tensor, b: tensor) -> Any:
    if a.shape:
        return e.create("tt.join", a, b)
    a, b = (broadcast_value(e, value, (1,)) for value in (a, b))
    return e.run(reshape, (e.create("tt.join", a, b), (2,)), {})


@join.reference
def _reference_join(e: Any, a: tensor, b: tensor) -> Any:
    return tensor(np.stack([a.handle, b.handle], axis=-1), block(a.dtype, (*a.shape, 2)))


def _split_operands(mode: Mode, a: tensor) -> tuple[tensor]:
    expects(
        bool(a.shape) and a.shape[-1] == 2,
        f"'split' expects a block whose last extent is 2, got shape {a.shape}",
        hint="reshape so that the pairs are last: tl.reshape(x, (n // 2, 2))",
    )
    return (a,)


@op(operands=_split_operands, method=True)
def split(a: tensor) -> tuple[tensor, tensor]:
    """The two halves of a block along its last axis, of extent 2.

    Raises:
        TypeMismatchError: The last extent is not 2.

    Example:
        re, im = tl.split(pairs)      # (64, 2) gives two of (64,)
    """


@split.emit
def _emit_split(e: Emitter, a: tensor) -> Any:
    if len(a.shape) > 1:
        half = block(a.dtype, a.shape[:-1])
        return e.create("tt.split", a, result=(half, half))
    row = e.run(expand_dims, (a, 0), {})
    half = block(a.dtype, (1,))
    return tuple(e.run(item, (value,), {}) for value in e.create("tt.split", row, result=(half, half)))


@split.reference
def _reference_split(e: Any, a: tensor) -> Any:
    half = block(a.dtype, a.shape[:-1])
    return tensor(a.handle[..., 0], half), tensor(a.handle[..., 1], half)


def _single(mode: Mode, input: tensor) -> tuple[tensor]:
    expects(input.numel == 1, f"'item' expects a block of one element, got shape {input.shape}",
            hint="reduce it first, as with tl.sum(x)")  # fmt: skip
    return (input,)


@op(operands=_single, method=True)
def item(input: tensor) -> tensor:
    """The only element of a block, as a scalar.

    Raises:
        TypeMismatchError: The block has more than one element.

    Example:
        s = tl.full((1,), 2.0, tl.float32).item()
    """


@item.emit
def _emit_item(e: Emitter, input: tensor) -> Any:
    if len(input.shape) > 1:
        input = e.run(reshape, (input, (1,)), {})
    return e.create("tt.unsplat", input, result=input.dtype) if input.shape else input


@item.reference
def _reference_item(e: Any, input: tensor) -> Any:
    return tensor(input.handle.reshape(()), input.dtype)


@library()
def interleave(a: tensor, b: tensor) -> tensor:
    """Two blocks whose elements alternate along the last axis.

    Example:
        x = tl.interleave(even, odd)      # two of (64,) give (128,)
    """
    c = join(a, b)
    if len(c.shape) == 1:
        # Joining two scalars gives a block of two elements already.
        return c
    return reshape(c, (*c.shape[:-2], 2 * c.shape[-2]))


def _cat_operands(mode: Mode, input: tensor, other: tensor, can_reorder: Any, dim: Any) -> tuple[Any, ...]:
    other = _with_sign_of(mode, input, other)
    expects(input.dtype == other.dtype, f"'cat' expects two blocks of one type, got {input.dtype} and {other.dtype}")
    expects(
        bool(input.shape) and input.shape == other.shape,
        f"'cat' expects two blocks of one shape, got {input.shape} and {other.shape}",
    )
    return input, other, bool(unwrap(can_reorder)), wrap_axis("cat", dim, len(input.shape))


@op(operands=_cat_operands)
def cat(input: tensor, other: tensor, can_reorder: bool = False, dim: int = 0) -> tensor:
    """Two blocks of one shape, one after the other along an axis.

    Args:
        input: The block that comes first.
        other: The block that comes after it.
        can_reorder: The compiler may change the order of elements. The CPU never does.
        dim: The axis that grows.

    Raises:
        TypeMismatchError: The shapes or the types differ.

    Example:
        x = tl.cat(low, high)         # two of (64,) give (128,)
    """


@cat.emit
def _emit_cat(e: Emitter, input: tensor, other: tensor, can_reorder: bool, dim: int) -> Any:
    rank, shape = len(input.shape), list(input.shape)
    shape[dim] *= 2
    if can_reorder:
        expects(rank == 1, f"'cat' with can_reorder expects one dimension, got shape {input.shape}")
        return e.create("tt.cat", input, other, result=block(input.dtype, shape))
    order = list(range(rank))
    order.insert(dim, rank)
    joined = e.run(permute, (e.run(join, (input, other), {}), order), {})
    return e.run(reshape, (joined, shape), {})


@cat.reference
def _reference_cat(e: Any, input: tensor, other: tensor, can_reorder: bool, dim: int) -> Any:
    values = np.concatenate([input.handle, other.handle], axis=dim)
    return tensor(values, block(input.dtype, values.shape))


@constexpr_function
def _log2(n: int) -> int:
    return n.bit_length() - 1


@constexpr_function
def _positive_axis(axis: int | None, rank: int) -> int:
    return wrap_axis("flip", rank - 1 if axis is None else axis, rank)


@constexpr_function
def _integer_type(kind: dtype) -> dtype:
    return get_int_dtype(kind.primitive_bitwidth, True)


@library(method=True)
def flip(x: tensor, dim: int | None = None) -> tensor:
    """A block in reverse order along an axis, by default the last.

    Example:
        y = tl.flip(x, 0)
    """
    axis: constexpr = _positive_axis(dim, len(x.shape))  # type: ignore[assignment]
    steps: constexpr = _log2(x.shape[axis])  # type: ignore[assignment]
    kind: constexpr = _integer_type(x.dtype)  # type: ignore[assignment, arg-type]
    if steps == 0:  # type: ignore[comparison-overlap]
        return x
    # Reversal inverts every bit of the index: one exchange of halves for each bit.
    bits = cast(x, kind, bitcast=True)
    bits = reshape(bits, x.shape[:axis] + (2,) * steps + x.shape[axis + 1 :])
    for i in static_range(steps):
        bits = bits ^ xor_sum(bits, axis + i, True)
    return cast(reshape(bits, x.shape), x.dtype, bitcast=True)


def _gather_operands(mode: Mode, src: tensor, index: tensor, axis: Any) -> tuple[Any, ...]:
    expects(index.dtype.is_int(), f"'gather' expects integer indices, got {index.dtype}")
    axis = wrap_axis("gather", axis, len(src.shape))
    fits = len(src.shape) == len(index.shape) and all(
        a == b for at, (a, b) in enumerate(zip(src.shape, index.shape, strict=False)) if at != axis
    )
    expects(fits, f"'gather' expects shapes that differ at axis {axis} only, got {src.shape} and {index.shape}")
    return src, index, axis


@op(operands=_gather_operands, method=True)
def gather(src: tensor, index: tensor, axis: int) -> tensor:
    """Elements of a block selected along an axis: ``out[i, j] = src[index[i, j], j]`` for axis 0.

    Args:
        src: The block to select from.
        index: Integers from 0 up to the extent. On a CPU they are unsigned and taken modulo the extent; on a GPU the
            result for indices out of range is undefined.
        axis: The axis of the indices.

    Raises:
        TypeMismatchError: The indices are floats, or the shapes differ in another axis.

    Example:
        y = tl.gather(x, order, 0)
    """


@gather.emit
def _emit_gather(e: Emitter, src: tensor, index: tensor, axis: int) -> Any:
    given = {"axis": attributes.i32(axis)}
    return e.create("tt.gather", src, index, attributes=given, result=block(src.dtype, index.shape))


@gather.reference
def _reference_gather(e: Any, src: tensor, index: tensor, axis: int) -> Any:
    kind = index.handle.dtype
    unsigned = index.handle.astype(f"u{kind.itemsize}") if kind.kind == "i" else index.handle
    indices = (unsigned.astype(np.uint64) % np.uint64(src.shape[axis])).astype(np.int64)
    return tensor(np.take_along_axis(src.handle, indices, axis), block(src.dtype, index.shape))


def _histogram_operands(mode: Mode, input: tensor, num_bins: Any, mask: Any) -> tuple[Any, ...]:
    expects(len(input.shape) == 1, f"'histogram' expects one dimension, got shape {input.shape}")
    expects(input.dtype.is_int(), f"'histogram' expects integers, got {input.dtype}")
    bins, mask = unwrap(num_bins), unwrap(mask)
    block(int32, (bins,))
    if mask is not None:
        mask = broadcast_value(mode, as_tensor(mode, mask), input.shape)
        expects(mask.dtype == int1, f"'histogram' expects a mask of bools, got {mask.dtype}")
    # The op's integers are signless, so -1 would count as the largest value.
    if input.dtype.is_int_signed() and bins > 1 << (input.dtype.primitive_bitwidth - 1):
        input = convert(mode, "histogram", input, int32)
    return input, bins, mask


@op(operands=_histogram_operands, method=True)
def histogram(input: tensor, num_bins: int, mask: tensor | None = None) -> tensor:
    """The number of occurrences of each of the values 0, 1, ..., as int32.

    Args:
        input: Integers; values outside of the bins are not counted.
        num_bins: A compile-time power of two.
        mask: Elements where it is false are not counted.

    Raises:
        TypeMismatchError: The block has several dimensions, or holds floats.

    Example:
        counts = tl.histogram(digits, 16)
    """


@histogram.emit
def _emit_histogram(e: Emitter, input: tensor, num_bins: int, mask: Any) -> Any:
    operands = (input,) if mask is None else (input, mask)
    return e.create("tt.histogram", *operands, result=block(int32, (num_bins,)))


@histogram.reference
def _reference_histogram(input: Array, num_bins: int, mask: Any) -> Any:
    counted = (input >= 0) & (input < num_bins) & (True if mask is None else mask)
    return np.bincount(input[counted].astype(np.int64), minlength=num_bins)[:num_bins].astype(np.int32)


def _squeeze_operands(mode: Mode, x: tensor, dim: Any) -> tuple[Any, ...]:
    axis = wrap_axis("squeeze", dim, len(x.shape))
    expects(x.shape[axis] == 1, f"'squeeze' expects an extent of 1 at axis {axis}, got shape {x.shape}")
    return x, axis


@op(operands=_squeeze_operands, method=True)
def squeeze(x: tensor, dim: int) -> tensor:
    """A block without one of its axes of extent 1.

    Raises:
        TypeMismatchError: The axis has another extent.

    Example:
        row = tl.squeeze(x, 0)        # (1, 64) gives (64,)
    """


@squeeze.emit
def _emit_squeeze(e: Emitter, x: tensor, dim: int) -> Any:
    shape = x.shape[:dim] + x.shape[dim + 1 :]
    return e.run(reshape, (x, shape), {}) if shape else e.run(item, (x,), {})


@squeeze.reference
def _reference_squeeze(e: Any, x: tensor, dim: int) -> Any:
    return _emit_squeeze(e, x, dim)


@op(method=True)
def unsqueeze(x: tensor, dim: int) -> tensor:
    """A block with another axis of extent 1.

    Example:
        column = tl.unsqueeze(x, 1)   # (64,) gives (64, 1)
    """


@unsqueeze.emit
def _emit_unsqueeze(e: Emitter, x: tensor, dim: int) -> Any:
    return e.run(expand_dims, (x, dim), {})


@unsqueeze.reference
def _reference_unsqueeze(e: Any, x: tensor, dim: int) -> Any:
    return _emit_unsqueeze(e, x, dim)


@library()
def swizzle2d(i: Any, j: Any, size_i: Any, size_j: Any, size_g: Any) -> Any:
    """Positions of a row-major grid, taken column by column within groups of ``size_g`` rows.

    Args:
        i: The row.
        j: The column.
        size_i: The number of rows.
        size_j: The number of columns.
        size_g: The rows of a group.

    Returns:
        The new row and column. For 4 rows and 4 columns in groups of 2, row 0 becomes 0, 2, 4, 6.

    Example:
        pid_m, pid_n = tl.swizzle2d(pid_m, pid_n, rows, columns, GROUP)
    """
    position = i * size_j + j
    group_size = size_g * size_j
    group = position // group_size
    first = group * size_g
    # The last group may have fewer rows.
    rows = minimum(size_i - first, size_g)
    position = position % group_size
    return first + position % rows, position // rows
