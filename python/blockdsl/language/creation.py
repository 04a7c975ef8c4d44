"""Ops that create blocks: arange, full, zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import expects
from . import numerics
from .attributes import i32
from .cast import cast
from .constexpr import unwrap
from .op import Emitter, Mode, library, op
from .promotion import convert
from .shape import as_tensor, broadcast_value, extents
from .suggestions import expect_type
from .tensor import tensor
from .types import Type, block, dtype, int32


def _arange_operands(mode: Mode, start: Any, end: Any) -> tuple[int, int, Type]:
    start, end = unwrap(start), unwrap(end)
    for bound in (start, end):
        expects(
            isinstance(bound, int),
            f"'arange' expects compile-time integers, got {bound.type if isinstance(bound, tensor) else repr(bound)}",
            hint="declare it as `tl.constexpr`",
        )
        expects(-(2**31) <= bound < 2**31, f"'arange' expects bounds that fit int32, got {bound}")
    expects(end > start, f"'arange' expects an end above the start, got {start} and {end}")
    length = end - start
    expects(
        length & (length - 1) == 0,
        f"'arange' expects a length that is a power of two, got {length} from {start} to {end}",
        hint=f"use tl.arange({start}, {start + (1 << length.bit_length())}) and a mask",
    )
    return start, end, block(int32, (length,))


@op(operands=lambda mode, start, end: _arange_operands(mode, start, end)[:2])
def arange(start: int, end: int) -> tensor:
    """The integers from ``start`` up to, not including, ``end``: an int32 block of one dimension.

    Args:
        start: A compile-time integer.
        end: A compile-time integer; ``end - start`` is a power of two.

    Raises:
        TypeMismatchError: A bound is known only at run time, or the length is not a power of two.

    Example:
        offsets = tl.program_id(0) * 128 + tl.arange(0, 128)
    """


@arange.emit
def _emit_arange(e: Emitter, start: int, end: int) -> Any:
    given = {"start": i32(start), "end": i32(end)}
    return e.create("tt.make_range", attributes=given, result=block(int32, (end - start,)))


@arange.reference
def _reference_arange(start: int, end: int) -> Any:
    return np.arange(start, end, dtype=np.int32)


def _full_operands(mode: Mode, shape: Any, value: Any, dtype: Any) -> tuple[tuple[int, ...], Any, Any]:
    shape, value, kind = extents((shape,)), unwrap(value), unwrap(dtype)
    expect_type("full", kind)
    block(kind.scalar, shape)
    if isinstance(value, tensor):
        expects(value.numel == 1, f"'full' expects a scalar value, got a block of shape {value.shape}")
        return shape, mode.run(cast, (value, kind), {}), kind
    expects(isinstance(value, (bool, int, float)), f"'full' expects a number, got {value!r}")
    if kind.is_int():
        value = _whole(value, kind.scalar)
    return shape, convert(mode, "full", value, kind.scalar), kind


def _whole(value: int | float | bool, kind: Any) -> int:
    """Returns an integer for an integer type, reinterpreted if it fits the width but not the signed range."""
    expects(value == value // 1, f"'full' expects a whole number for {kind}, got {value}", hint="or a float's dtype")
    value, width = int(value), kind.primitive_bitwidth
    return value - (1 << width) if kind.is_int_signed() and value >> (width - 1) == 1 else value


@op(operands=_full_operands)
def full(shape: Sequence[int], value: float, dtype: dtype) -> tensor:
    """A block whose elements all equal a number.

    Args:
        shape: Compile-time extents, each a power of two.
        value: A Python number or a scalar.
        dtype: Type of the elements.

    Raises:
        TypeMismatchError: The shape is not compile-time, or the number does not fit the bits of the type.

    Example:
        best = tl.full((BLOCK,), float("-inf"), tl.float32)
    """


@full.emit
def _emit_full(e: Emitter, shape: tuple[int, ...], value: tensor, dtype: Type) -> Any:
    return broadcast_value(e, value, shape)


@full.reference
def _reference_full(e: Any, shape: tuple[int, ...], value: tensor, dtype: Type) -> Any:
    values = np.broadcast_to(numerics.fit(value.handle, dtype.scalar).reshape(()), shape)
    return tensor(values, block(dtype.scalar, shape))


@library()
def zeros(shape: Sequence[int], dtype: dtype) -> tensor:
    """A block of zeros.

    Example:
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    """
    return full(shape, 0, dtype)


@library()
def zeros_like(input: tensor) -> tensor:
    """A block of zeros with the shape and dtype of another.

    Example:
        acc = tl.zeros_like(x)
    """
    return zeros(input.shape, input.dtype)


@op(operands=lambda mode, x: (as_tensor(mode, x),))
def to_tensor(x: float) -> tensor:
    """A Python number as a scalar of the kernel: int32 or float32 if it fits, else a wider type.

    Example:
        total = tl.to_tensor(0.0)
    """


@to_tensor.emit
def _emit_to_tensor(e: Emitter, x: tensor) -> Any:
    return x


@to_tensor.reference
def _reference_to_tensor(e: Any, x: tensor) -> Any:
    return x
