"""The named reductions, implemented in the language with `reduce` (reduce.py)."""

from __future__ import annotations

from typing import Any

from .cast import cast
from .constexpr import constexpr, constexpr_function
from .debug import static_assert
from .math import exp, fdiv
from .op import library
from .reduce import reduce, reduce_with_indices
from .select import maximum, minimum, where
from .tensor import tensor
from .types import dtype, float32, int32, uint32

# Values in kernels are dynamic; mypy checks signatures only.
Value = Any


@constexpr_function
def sum_type(given: dtype, requested: dtype | None) -> dtype:
    """Returns the type of a sum: integers below 32 bits are widened."""
    if requested is not None:
        return requested
    if given.is_int() and given.int_bitwidth < 32:
        return int32 if given.is_int_signed() else uint32
    return given


@constexpr_function
def order_type(given: dtype) -> dtype:
    """Returns the type in which elements are compared: at least 32 bits."""
    if given.primitive_bitwidth >= 32:
        return given
    return float32 if given.is_floating() else int32


@library()
def _sum_combine(a: Value, b: Value) -> Value:
    """Adds two elements."""
    return a + b


@library(method=True)
def sum(input: tensor, axis: int | None = None, keep_dims: bool = False, dtype: constexpr | None = None) -> tensor:
    """The sum along an axis.

    Args:
        input: A block. Integers below 32 bits are summed in 32 bits, floats in their own type.
        axis: The axis to reduce; None sums all elements.
        keep_dims: Keep the axis with extent 1.
        dtype: The type to sum in.

    Example:
        total = tl.sum(x, axis=1)         # (16, 32) gives (16,)
    """
    kind: constexpr = sum_type(input.dtype, dtype)  # type: ignore
    input = cast(input, kind)
    return reduce(input, axis, _sum_combine, keep_dims=keep_dims)


@library()
def _elementwise_max(a: Value, b: Value) -> Value:
    """The larger of two elements."""
    return maximum(a, b)


@library()
def _elementwise_min(a: Value, b: Value) -> Value:
    """The smaller of two elements."""
    return minimum(a, b)


@library()
def _takes_first(further: Value, value1: Value, index1: Value, value2: Value, index2: Value, left: Value) -> Value:
    """Whether the first of two elements is selected: it is larger (or smaller), the other is NaN, or they are equal and
    its index is lower."""
    as_far = value1 == value2
    if value1.dtype.is_floating():
        nan1, nan2 = value1 != value1, value2 != value2
        further = further | (nan2 & ~nan1)
        as_far = as_far | (nan1 & nan2)
    if left:
        further = further | (as_far & (index1 < index2))
    return further


@library()
def _argmax_combine(value1: Value, index1: Value, value2: Value, index2: Value, tie_break_left: Value) -> Value:
    """The larger of two elements with its position."""
    chosen = _takes_first(value1 > value2, value1, index1, value2, index2, tie_break_left)
    return where(chosen, value1, value2), where(chosen, index1, index2)


@library()
def _argmax_combine_tie_break_left(value1: Value, index1: Value, value2: Value, index2: Value) -> Value:
    """The larger of two elements; the first of equal ones."""
    return _argmax_combine(value1, index1, value2, index2, True)


@library()
def _argmax_combine_tie_break_fast(value1: Value, index1: Value, value2: Value, index2: Value) -> Value:
    """The larger of two elements; any of equal ones."""
    return _argmax_combine(value1, index1, value2, index2, False)


@library()
def _argmin_combine(value1: Value, index1: Value, value2: Value, index2: Value, tie_break_left: Value) -> Value:
    """The smaller of two elements with its position."""
    chosen = _takes_first(value1 < value2, value1, index1, value2, index2, tie_break_left)
    return where(chosen, value1, value2), where(chosen, index1, index2)


@library()
def _argmin_combine_tie_break_left(value1: Value, index1: Value, value2: Value, index2: Value) -> Value:
    """The smaller of two elements; the first of equal ones."""
    return _argmin_combine(value1, index1, value2, index2, True)


@library()
def _argmin_combine_tie_break_fast(value1: Value, index1: Value, value2: Value, index2: Value) -> Value:
    """The smaller of two elements; any of equal ones."""
    return _argmin_combine(value1, index1, value2, index2, False)


@library(method=True)
def max(
    input: tensor,
    axis: int | None = None,
    return_indices: bool = False,
    return_indices_tie_break_left: bool = True,
    keep_dims: bool = False,
) -> Value:
    """The largest element along an axis. NaN is ignored.

    Args:
        input: A block. Types below 32 bits are compared and returned in 32 bits.
        axis: The axis to reduce; None takes all elements.
        return_indices: Return a pair: the elements and their int32 indices.
        return_indices_tie_break_left: Return the first index of equal elements.
        keep_dims: Keep the axis with extent 1.

    Example:
        m = tl.max(x, axis=1)
        m, place = tl.max(x, axis=1, return_indices=True)
    """
    if return_indices:
        if return_indices_tie_break_left:
            return reduce_with_indices(input, axis, _argmax_combine_tie_break_left, keep_dims=keep_dims)
        return reduce_with_indices(input, axis, _argmax_combine_tie_break_fast, keep_dims=keep_dims)
    kind: constexpr = order_type(input.dtype)  # type: ignore
    input = cast(input, kind)
    return reduce(input, axis, _elementwise_max, keep_dims=keep_dims)


@library(method=True)
def min(
    input: tensor,
    axis: int | None = None,
    return_indices: bool = False,
    return_indices_tie_break_left: bool = True,
    keep_dims: bool = False,
) -> Value:
    """The smallest element along an axis. NaN is ignored. The arguments are those of ``max``.

    Example:
        m = tl.min(x, axis=1)
    """
    if return_indices:
        if return_indices_tie_break_left:
            return reduce_with_indices(input, axis, _argmin_combine_tie_break_left, keep_dims=keep_dims)
        return reduce_with_indices(input, axis, _argmin_combine_tie_break_fast, keep_dims=keep_dims)
    kind: constexpr = order_type(input.dtype)  # type: ignore
    input = cast(input, kind)
    return reduce(input, axis, _elementwise_min, keep_dims=keep_dims)


@library(method=True)
def argmax(input: tensor, axis: int, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The int32 index of the largest element along an axis. NaN is ignored; if all elements are NaN, they are equal.

    Args:
        input: A block.
        axis: The axis to search.
        tie_break_left: Return the first index of equal elements; otherwise any of them.
        keep_dims: Keep the axis with extent 1.

    Example:
        place = tl.argmax(x, axis=1)
    """
    (_, index) = max(
        input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims
    )
    return index


@library(method=True)
def argmin(input: tensor, axis: int, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The int32 index of the smallest element along an axis. NaN is ignored; if all elements are NaN, they are equal.

    Args:
        input: A block.
        axis: The axis to search.
        tie_break_left: Return the first index of equal elements; otherwise any of them.
        keep_dims: Keep the axis with extent 1.

    Example:
        place = tl.argmin(x, axis=1)
    """
    (_, index) = min(
        input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims
    )
    return index


@library()
def _xor_combine(a: Value, b: Value) -> Value:
    """Exclusive or of two elements."""
    return a ^ b


@library(method=True)
def xor_sum(input: tensor, axis: int | None = None, keep_dims: bool = False) -> tensor:
    """The exclusive or of integers along an axis.

    Example:
        parity = tl.xor_sum(bits, axis=0)
    """
    static_assert(input.type.scalar.is_int(), "xor_sum expects integers")
    return reduce(input, axis, _xor_combine, keep_dims=keep_dims)


@library()
def _or_combine(a: Value, b: Value) -> Value:
    """Bitwise or of two elements."""
    return a | b


@library(method=True)
def reduce_or(input: tensor, axis: int, keep_dims: bool = False) -> tensor:
    """The bitwise or of integers along an axis.

    Example:
        flags = tl.reduce_or(bits, axis=0)
    """
    static_assert(input.type.scalar.is_int(), "reduce_or expects integers")
    return reduce(input, axis, _or_combine, keep_dims=keep_dims)


@library(method=True)
def softmax(x: tensor, dim: int | None = None, keep_dims: bool | None = None, ieee_rounding: bool = False) -> tensor:
    """The exponentials of a block divided by their sum along an axis.

    Args:
        x: Floats of float32 or float64.
        dim: The axis of the sum. The default is the first, as in Triton; not the last, as in torch.
        keep_dims: Accepted for compatibility with Triton: the shape never changes.
        ieee_rounding: Round the quotient correctly.

    Example:
        p = tl.softmax(scores, dim=1)
    """
    if dim is None:
        axis: constexpr = 0  # type: ignore[assignment]
    else:
        axis: constexpr = dim  # type: ignore
    z = x - max(x, axis, keep_dims=True)
    numerator = exp(z)
    denominator = sum(numerator, axis, keep_dims=True)
    return fdiv(numerator, denominator, ieee_rounding)
