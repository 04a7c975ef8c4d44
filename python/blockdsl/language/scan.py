"""Scans along an axis. `associative_scan` takes any combine function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import expects
from .attributes import boolean, i32
from .cast import cast
from .constexpr import constexpr, unwrap
from .op import Emitter, Mode, library, op
from .reduce import combine_region, combined
from .reductions import _sum_combine, sum_type
from .shape import wrap_axis
from .tensor import tensor
from .types import block


def _scan_operands(mode: Mode, input: Any, axis: Any, combine_fn: Any, reverse: Any) -> tuple[Any, ...]:
    inputs = tuple(input) if isinstance(input, (tuple, list)) else (input,)
    for value in inputs:
        expects(
            isinstance(value, tensor) and value.shape and value.shape == inputs[0].shape,
            f"'associative_scan' expects blocks of one shape, got "
            f"{', '.join(str(one.type) if isinstance(one, tensor) else repr(one) for one in inputs)}",
        )
    return input, wrap_axis("associative_scan", axis, len(inputs[0].shape)), combine_fn, bool(unwrap(reverse))


@op(operands=_scan_operands, method=True)
def associative_scan(input: tensor, axis: int, combine_fn: Callable[..., Any], reverse: bool = False) -> tensor:
    """Combines each element with all previous ones along an axis.

    Args:
        input: A block, or a tuple of blocks of one shape that are combined together.
        axis: The axis of the scan.
        combine_fn: A jit function of two elements (of ``2 n`` for a tuple of ``n``), associative.
        reverse: Scan from the last element to the first.

    Returns:
        A block of the same shape, or a tuple for a tuple.

    Raises:
        TypeMismatchError: The axis is out of range, or ``combine_fn`` returns other types than it takes.

    Example:
        highest = tl.associative_scan(x, 0, larger)
    """


@associative_scan.emit
def _emit_scan(e: Emitter, input: Any, axis: int, combine_fn: Any, reverse: bool) -> Any:
    inputs = tuple(input) if isinstance(input, (tuple, list)) else (input,)
    region = combine_region(e, "associative_scan", "tt.scan.return", inputs, combine_fn)
    given = {"axis": i32(axis), "reverse": boolean(reverse)}
    return e.create("tt.scan", *inputs, attributes=given, result=[value.type for value in inputs], regions=[region])


@associative_scan.reference
def _reference_scan(e: Any, input: Any, axis: int, combine_fn: Any, reverse: bool) -> Any:
    inputs = tuple(input) if isinstance(input, (tuple, list)) else (input,)
    kinds = [value.dtype for value in inputs]
    arrays = [np.moveaxis(value.handle, axis, 0) for value in inputs]
    arrays = [np.ascontiguousarray(array[::-1] if reverse else array) for array in arrays]
    length, distance = arrays[0].shape[0], 1
    while distance < length:
        # Each element is combined with the one `distance` before it, except the first ones, where `roll` wraps around.
        pairs = [np.roll(array, distance, 0) for array in arrays] + arrays
        operands = [tensor(array, block(kind, array.shape)) for array, kind in zip(pairs, kinds * 2, strict=True)]
        merged = combined(e, "associative_scan", combine_fn, operands, kinds)
        arrays = [np.concatenate([a[:distance], b.handle[distance:]]) for a, b in zip(arrays, merged, strict=True)]
        distance *= 2
    arrays = [np.moveaxis(array[::-1] if reverse else array, 0, axis) for array in arrays]
    results = tuple(tensor(array, value.type) for array, value in zip(arrays, inputs, strict=True))
    return results if isinstance(input, (tuple, list)) else results[0]


@library()
def _prod_combine(a: Any, b: Any) -> Any:
    """Multiplies two elements."""
    return a * b


@library(method=True)
def cumsum(input: tensor, axis: int = 0, reverse: bool = False, dtype: constexpr | None = None) -> tensor:
    """The running sum along an axis.

    Args:
        input: A block. Integers below 32 bits are summed in 32 bits.
        axis: The axis of the scan.
        reverse: Scan from the last element to the first.
        dtype: The type to compute in.

    Example:
        starts = tl.cumsum(lengths, axis=0) - lengths
    """
    kind: constexpr = sum_type(input.dtype, dtype)  # type: ignore
    input = cast(input, kind)
    return associative_scan(input, axis, _sum_combine, reverse)


@library(method=True)
def cumprod(input: tensor, axis: int = 0, reverse: bool = False, dtype: constexpr | None = None) -> tensor:
    """The running product along an axis.

    Args:
        input: A block. Integers below 32 bits are multiplied in 32 bits.
        axis: The axis of the scan.
        reverse: Scan from the last element to the first.
        dtype: The type to compute in.

    Example:
        decay = tl.cumprod(factors, axis=0)
    """
    kind: constexpr = sum_type(input.dtype, dtype)  # type: ignore
    input = cast(input, kind)
    return associative_scan(input, axis, _prod_combine, reverse)
