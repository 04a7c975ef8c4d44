"""Loads and stores through tensor descriptors: whole blocks by their offsets, and rows by their indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import expects
from . import numerics
from .cast import cast
from .constexpr import unwrap
from .descriptor import tensor_descriptor
from .op import Emitter, Mode, op
from .shape import as_tensor
from .tensor import tensor
from .types import block, dtype, int32


def described(name: str, desc: Any) -> tensor_descriptor:
    """Returns an argument that must be a descriptor."""
    expects(
        isinstance(desc, tensor_descriptor),
        f"'{name}' expects a tensor descriptor, got {getattr(desc, 'type', desc)!s}",
        hint="make one with tl.make_tensor_descriptor, or pass a TensorDescriptor to the kernel",
    )
    assert isinstance(desc, tensor_descriptor)
    return desc


def _offset(mode: Mode, name: str, value: Any) -> tensor:
    one = as_tensor(mode, value)
    expects(
        not one.shape and isinstance(one.dtype, dtype) and one.dtype.is_int(),
        f"'{name}' expects offsets that are integer scalars, got {one.type}",
        hint="a block's place is that of its first element",
    )
    expects(
        one.dtype.primitive_bitwidth <= 32,
        f"'{name}' expects offsets of at most 32 bits, got {one.type}",
        hint="convert with .to(tl.int32), or use pointers",
    )
    result = mode.run(cast, (one, int32), {})
    assert isinstance(result, tensor)
    return result


def offsets_of(mode: Mode, name: str, desc: tensor_descriptor, offsets: Any) -> tuple[tensor, ...]:
    """Returns a block's offsets, an int32 for each dimension."""
    values = unwrap(offsets)
    values = list(values) if isinstance(values, (tuple, list)) else [values]
    rank = len(desc.block_shape)
    expects(len(values) == rank, f"'{name}' expects {rank} offsets for blocks of shape {desc.block_shape}, "
            f"got {len(values)}")  # fmt: skip
    return tuple(_offset(mode, name, value) for value in values)


def stored_value(mode: Mode, name: str, desc: tensor_descriptor, value: Any, shape: tuple[int, ...]) -> Any:
    """Returns a block to store through a descriptor, in its element type."""
    expects(not desc.type.const, f"'{name}' expects a descriptor that may be written, got one of a const pointer",
            hint="drop the tl.const annotation of the parameter")  # fmt: skip
    given = as_tensor(mode, value)
    expects(
        given.shape == shape,
        f"'{name}' expects a value of shape {shape}, got {given.shape}",
        hint="use tl.broadcast_to or tl.reshape",
    )
    return mode.run(cast, (given, desc.dtype), {})


def _load_operands(mode: Mode, desc: Any, offsets: Any) -> tuple[Any, ...]:
    desc = described("load_tensor_descriptor", desc)
    return desc, offsets_of(mode, "load_tensor_descriptor", desc, offsets)


@op(operands=_load_operands)
def load_tensor_descriptor(desc: tensor_descriptor, offsets: Sequence[Any]) -> tensor:
    """Reads the block whose first element is at ``offsets``; also spelled ``desc.load(offsets)``.

    Elements outside of the array are the descriptor's padding. Offsets may be negative.

    Raises:
        TypeMismatchError: No descriptor, or offsets that are not int32 scalars, one for each dimension.

    Example:
        x = tl.load_tensor_descriptor(desc, [row, 0])
    """


@load_tensor_descriptor.emit
def _emit_load(e: Emitter, desc: tensor_descriptor, offsets: Any) -> Any:
    return e.create("tt.descriptor_load", desc.handle, *offsets, result=desc.block_type)


@load_tensor_descriptor.reference
def _reference_load(e: Any, desc: tensor_descriptor, offsets: Any) -> Any:
    return _read(e, desc, ranges_of(desc, offsets))


def _store_operands(mode: Mode, desc: Any, offsets: Any, value: Any) -> tuple[Any, ...]:
    desc = described("store_tensor_descriptor", desc)
    indices = offsets_of(mode, "store_tensor_descriptor", desc, offsets)
    return desc, indices, stored_value(mode, "store_tensor_descriptor", desc, value, desc.block_shape)


@op(operands=_store_operands)
def store_tensor_descriptor(desc: tensor_descriptor, offsets: Sequence[Any], value: tensor) -> None:
    """Writes the block whose first element is at ``offsets``; also spelled ``desc.store(offsets, value)``.

    Elements outside of the array are not written.

    Raises:
        TypeMismatchError: No descriptor, offsets that are not int32 scalars, or a value of another shape.

    Example:
        tl.store_tensor_descriptor(desc, [row, 0], x)
    """


@store_tensor_descriptor.emit
def _emit_store(e: Emitter, desc: tensor_descriptor, offsets: Any, value: tensor) -> Any:
    return e.create("tt.descriptor_store", desc.handle, value, *offsets, result=())


@store_tensor_descriptor.reference
def _reference_store(e: Any, desc: tensor_descriptor, offsets: Any, value: tensor) -> Any:
    _write(e, desc, ranges_of(desc, offsets), value)


def _rows(mode: Mode, name: str, desc: Any, x_offsets: Any, y_offset: Any) -> tuple[Any, ...]:
    desc = described(name, desc)
    expects(
        len(desc.block_shape) == 2 and desc.block_shape[0] == 1,
        f"'{name}' expects a descriptor of blocks of one row, got {desc.type}",
        hint="make it with block_shape=[1, N]",
    )
    rows = as_tensor(mode, x_offsets)
    expects(
        len(rows.shape) == 1 and rows.shape[0] >= 8 and rows.dtype.ir in ("i16", "i32"),
        f"'{name}' expects a block of at least 8 rows as int16 or int32, got {rows.type}",
    )
    min_columns = 32 // desc.dtype.primitive_bitwidth * 8
    expects(desc.block_shape[1] >= min_columns, f"'{name}' expects at least {min_columns} columns of {desc.dtype}, "
            f"got {desc.block_shape[1]}")  # fmt: skip
    return desc, rows, _offset(mode, name, y_offset)


def _gather_operands(mode: Mode, desc: Any, x_offsets: Any, y_offset: Any) -> tuple[Any, ...]:
    return _rows(mode, "descriptor_gather", desc, x_offsets, y_offset)


@op(operands=_gather_operands)
def descriptor_gather(desc: tensor_descriptor, x_offsets: tensor, y_offset: Any) -> tensor:
    """Reads rows of a matrix, each from column ``y_offset`` on; spelled ``desc.gather(x_offsets, y_offset)``.

    Raises:
        TypeMismatchError: The descriptor's block has more than one row, or the offsets do not fit.

    Example:
        x = desc.gather(tl.load(rows_ptr + tl.arange(0, 32)), 0)
    """


@descriptor_gather.emit
def _emit_gather(e: Emitter, desc: tensor_descriptor, x_offsets: tensor, y_offset: tensor) -> Any:
    kind = block(desc.dtype, (*x_offsets.shape, desc.block_shape[1]))
    return e.create("tt.descriptor_gather", desc.handle, x_offsets, y_offset, result=kind)


@descriptor_gather.reference
def _reference_gather(e: Any, desc: tensor_descriptor, x_offsets: tensor, y_offset: tensor) -> Any:
    return _read(e, desc, [x_offsets.handle.astype(np.int64), _range(y_offset, desc.block_shape[1])])


def _scatter_operands(mode: Mode, desc: Any, value: Any, x_offsets: Any, y_offset: Any) -> tuple[Any, ...]:
    desc, rows, column = _rows(mode, "descriptor_scatter", desc, x_offsets, y_offset)
    shape = (*rows.shape, desc.block_shape[1])
    return desc, stored_value(mode, "descriptor_scatter", desc, value, shape), rows, column


@op(operands=_scatter_operands)
def descriptor_scatter(desc: tensor_descriptor, value: tensor, x_offsets: tensor, y_offset: Any) -> None:
    """Writes rows of a matrix, each from column ``y_offset`` on; spelled ``desc.scatter(value, x_offsets, y_offset)``.

    Args:
        desc: A descriptor of blocks of one row.
        value: One row for each offset.
        x_offsets: The target row of each row in the matrix. For two equal offsets, one row is written.
        y_offset: The first column.

    Raises:
        TypeMismatchError: The descriptor's block has more than one row, or the offsets or the value do not fit.

    Example:
        desc.scatter(x, tl.load(rows_ptr + tl.arange(0, 32)), 0)
    """


@descriptor_scatter.emit
def _emit_scatter(e: Emitter, desc: tensor_descriptor, value: tensor, x_offsets: tensor, y_offset: tensor) -> Any:
    return e.create("tt.descriptor_scatter", desc.handle, x_offsets, y_offset, value, result=())


@descriptor_scatter.reference
def _reference_scatter(e: Any, desc: tensor_descriptor, value: tensor, x_offsets: tensor, y_offset: tensor) -> Any:
    _write(e, desc, [x_offsets.handle.astype(np.int64), _range(y_offset, desc.block_shape[1])], value)


# References in NumPy.


def _range(start: tensor, size: int) -> Any:
    return int(start.handle) + np.arange(size, dtype=np.int64)


def ranges_of(desc: tensor_descriptor, offsets: Sequence[tensor]) -> list[Any]:
    """Returns the indices of a block in each dimension."""
    return [_range(start, size) for start, size in zip(offsets, desc.block_shape, strict=True)]


def addresses_of(desc: tensor_descriptor, indices: Sequence[Any]) -> tuple[Any, Any]:
    """Returns the address of each element, and whether it is in bounds."""
    base, _ = desc.handle.handle
    element = desc.dtype
    assert isinstance(element, dtype)
    addresses, inside = np.asarray(base, np.int64), np.asarray(True)
    for along, extent, stride in zip(np.ix_(*indices), desc.shape, desc.strides, strict=True):
        addresses = addresses + along * int(stride.handle) * element.itemsize
        inside = inside & (along >= 0) & (along < int(extent.handle))
    return addresses, inside


def _read(e: Any, desc: tensor_descriptor, indices: Sequence[Any]) -> tensor:
    addresses, inside = addresses_of(desc, indices)
    values = numerics.load(e.memory.load(addresses, inside, numerics.storage(desc.dtype)), desc.dtype)
    if desc.handle.handle[1] == "nan":
        values = np.where(inside, values, numerics.fit(np.nan, desc.dtype))
    return tensor(values, block(desc.dtype, addresses.shape))


def _write(e: Any, desc: tensor_descriptor, indices: Sequence[Any], value: tensor) -> None:
    addresses, inside = addresses_of(desc, indices)
    e.memory.store(addresses, inside, numerics.store(value.handle, desc.dtype))
