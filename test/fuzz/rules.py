"""Error bounds of ops, from the errors of their operands and from rounding.

A rule takes the op's arguments, the tensors among them, their errors (arrays), and the result, and returns a bound of
the result's error. The result of an op without a rule has ``FUNCTION_ULPS`` if it is a function of floats, is otherwise
exact for exact operands, and unknown for others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from blockdsl.language.dot_scaled import spread_scale, widened
from blockdsl.language.tensor import tensor

from .bounded import AmbiguousError, Bound, error_of, flat, largest, quantum, rounding, tiny, unit, wide

MOVES = frozenset({
    "splat", "stretch", "broadcast", "broadcast_to", "expand_dims", "permute", "trans", "reshape", "view", "subscript",
    "join", "split", "item", "cat", "neg", "pos", "abs", "to_tensor", "full", "multiple_of", "max_contiguous",
    "max_constancy",
})  # fmt: skip
"""Ops that move elements: their errors are moved like their values."""
EXACT = MOVES | {"floor", "ceil", "sqrt_rn", "div_rn", "mod", "program_id", "arange", "constant", "histogram",
                 "builtin_min", "builtin_max", "make_tensor_descriptor", "truediv_exact",
                 "atomic_load", "atomic_store", "atomic_poll",
                 *(f"atomic_{name}" for name in ("add", "and", "or", "xor", "max", "min", "xchg", "cas"))}  # fmt: skip
"""Ops with exact results for exact operands."""
PROPAGATING = frozenset({"map_elementwise", "reduce_with_indices"})
"""Ops that apply functions of the language, whose errors are bounded separately, or that compute nothing."""
FUNCTION_ULPS = 8.0
"""In units of the last place, with the errors of NumPy's own functions."""

EITHER_ZERO = 5e-324
"""The error of a zero whose sign is undefined; too small to matter for other numbers."""

Rule = Callable[[Sequence[Any], list[Any], list[Any], Any], Bound]
_RULES: dict[str, Rule] = {}
_FLOAT_RULES: dict[str, Rule] = {}


def _rule(*names: str, floats: bool = False) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        (_FLOAT_RULES if floats else _RULES).update(dict.fromkeys(names, rule))
        return rule

    return register


def bound(name: str, arguments: Sequence[Any], operands: list[Any], result: Any) -> Bound:
    """The error of an op's result.

    Args:
        name: The op's.
        arguments: All of its arguments.
        given: The tensors among them.
        result: A tensor, or several.
    """
    outputs = flat([result])
    errors = [error_of(value) for value in operands]
    certain = all(error is None for error in errors)
    if not all(isinstance(output, tensor) for output in outputs):
        if not certain:
            raise AmbiguousError(name)
        return None
    floats = bool(outputs) and outputs[0].dtype.is_floating()
    if name in _RULES or (floats and name in _FLOAT_RULES):
        arrays = [np.zeros(()) if error is None else error for error in errors]
        return (_RULES.get(name) or _FLOAT_RULES[name])(arguments, operands, arrays, result)
    if not certain:
        return _unknown(errors, result, 0.0 if name in EXACT or name in PROPAGATING else FUNCTION_ULPS)
    if not floats or name in EXACT or name in PROPAGATING:
        return None
    return rounding(result, FUNCTION_ULPS)


def _unknown(errors: list[Any], result: Any, units: float = 0.0) -> Any:
    """Returns infinity for inexact operands: in the same lane for elementwise ops, otherwise in all.

    Other lanes round.
    """
    bounds = []
    for output in flat([result]):
        bound = rounding(output, units) if units and output.dtype.is_floating() else np.zeros(output.shape)
        for error in errors:
            if error is None:
                continue
            if error.shape in ((), output.shape):
                bound = np.where(error > 0, np.inf, bound)
            elif error.any():
                bound = np.full(output.shape, np.inf)
        bounds.append(bound)
    return bounds if isinstance(result, tuple) else bounds[0]


@_rule("where")
def _selection(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    return np.where(errors[0] > 0, np.inf, np.where(operands[0].handle, errors[1], errors[2]))


@_rule("equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal")
def _comparison(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    total = errors[0] + errors[1]
    if not total.any():
        return None
    if not operands[0].dtype.is_floating():
        return np.where(total > 0, np.inf, 0.0)
    distance = np.abs(np.asarray(operands[0].handle, np.float64) - np.asarray(operands[1].handle, np.float64))
    return np.where((total > 0) & ~(distance > total), np.inf, 0.0)


@_rule("add", "sub", floats=True)
def _sum_of_two(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    total = errors[0] + errors[1]
    return np.where(total > 0, total + rounding(result), 0.0) if total.any() else None


def _with_open_zeros(operands: list[Any], errors: list[Any], result: Any, error: Any) -> Bound:
    """Adds an error to a zero if the sign of an operand is undefined, however small the operand's error."""
    is_open = np.zeros(result.shape, bool)
    for value, operand_error in zip(operands, errors, strict=True):
        is_open = is_open | ((operand_error > 0) & (wide(value) <= operand_error))
    return np.where(is_open & (wide(result) == 0), np.maximum(error, 5e-324), error)


@_rule("mul", floats=True)
def _product(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    a, b, product = wide(operands[0]), wide(operands[1]), wide(result)
    with np.errstate(all="ignore"):
        error = np.nan_to_num(a * errors[1], nan=0.0, posinf=np.inf) + np.nan_to_num(
            b * errors[0], nan=0.0, posinf=np.inf
        )
        error = error + np.nan_to_num(errors[0] * errors[1], nan=0.0, posinf=np.inf)
        precise = a.astype(np.longdouble) * b.astype(np.longdouble)
    rounded = ~(precise == product) & np.isfinite(product) & np.isfinite(precise)
    if result.dtype.name == "fp64":
        is_integral = (np.rint(a) == a) & (np.rint(b) == b) & (product < 2.0**53)
        rounded = ~is_integral & np.isfinite(product) & (product != 0)
    # An operand with an infinite error may be infinite, and times zero is then not zero.
    error = np.where(np.isinf(errors[0] + errors[1]), np.inf, error)
    # A fused sum may use the product before it overflows.
    error = np.where(np.isinf(product) & np.isfinite(a) & np.isfinite(b), np.inf, error)
    # A product that is not rounded, because it is fused into a sum, differs by the rounding error.
    error = np.where(rounded | (error > 0), error + rounding(result), 0.0)
    return _with_open_zeros(operands, errors, result, error)


@_rule("fma")
def _fma(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    if any(error.any() for error in errors):
        return _unknown(errors, result, 2.0)
    if not result.dtype.is_floating():
        return None
    a, b, c = (np.asarray(value.handle, np.longdouble) for value in operands)
    is_exact = a * b + c == np.asarray(result.handle, np.longdouble)
    return np.where(is_exact & (result.dtype.name != "fp64"), 0.0, rounding(result, 2.0))


@_rule("truediv", "fdiv", floats=True)
def _quotient(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    divisor = wide(operands[1])
    with np.errstate(all="ignore"):
        error = (errors[0] + wide(result) * errors[1]) / np.maximum(divisor - errors[1], 0.0)
    # A quotient of exact numbers is exact, because all divisions are rounded as IEEE requires.
    error = np.where(divisor > errors[1], error + rounding(result, 2.0), np.inf)
    error = np.where(errors[0] + errors[1] > 0, error, 0.0)
    return _with_open_zeros(operands, errors, result, error)


@_rule("maximum", "minimum", "clamp", floats=True)
def _extremum(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    if len(operands) > 2 and any(error.any() for error in errors):
        return _unknown(errors, result)
    largest_error = np.zeros(result.shape)
    for error in errors:
        largest_error = np.maximum(largest_error, error)
    signs = [np.signbit(np.asarray(value.handle, np.float64)) for value in operands]
    differ, unsure = np.zeros(result.shape, bool), np.zeros(result.shape, bool)
    for sign in signs[1:]:
        differ = differ | (sign != signs[0])
    for value, error in zip(operands, errors, strict=True):
        unsure = unsure | (np.isnan(np.asarray(value.handle, np.float64)) & (error > 0))
    zeros = np.asarray(result.handle) == 0
    # The larger one of two zeros is undefined.
    return np.where(unsure, np.inf, np.where(zeros & differ, np.maximum(largest_error, 5e-324), largest_error))


@_rule("cast")
def _cast(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    source, error, bitcast = operands[0], errors[0], bool(arguments[3])
    if source.dtype == result.dtype or source.dtype.is_ptr() or result.dtype.is_ptr():
        return error
    if bitcast and source.dtype.is_floating():
        # A NaN has many bits.
        return np.where((error > 0) | np.isnan(np.asarray(source.handle, np.float64)), np.inf, 0.0)
    if not error.any():
        return None
    if bitcast or not (source.dtype.is_floating() and result.dtype.is_floating()):
        return np.where(error > 0, np.inf, 0.0)
    narrower = result.dtype.fp_mantissa_width < source.dtype.fp_mantissa_width
    return np.where(error > 0, error + (2 * rounding(result) if narrower else 0.0), 0.0)


@_rule("libdevice.signbit", "libdevice.copysign")
def _sign(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    """The sign is undefined for a NaN, and for a value that may be on either side of zero."""
    signed, error = operands[-1], errors[-1]
    is_open = np.isnan(np.asarray(signed.handle, np.float64)) | ((error > 0) & (wide(signed) <= error))
    return np.where(is_open, np.inf, errors[0] if len(operands) == 2 else 0.0)


@_rule("extern_elementwise", floats=True)
def _extern(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    if any("copysign" in symbol for symbol, _ in arguments[3].values()):
        return _sign(arguments, operands, errors, result)
    if any(error.any() for error in errors):
        return _unknown(errors, result, FUNCTION_ULPS)
    return rounding(result, FUNCTION_ULPS)


@_rule("gather")
def _gather(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    source, index = operands[0], operands[1]
    if errors[1].any():
        return np.full(result.shape, np.inf)
    extent = source.shape[arguments[2]]
    # The result is undefined outside of the block.
    indices = np.asarray(index.handle).astype(np.float64)
    out_of_bounds = (indices < 0) | (indices >= extent)
    clamped = np.clip(index.handle, 0, extent - 1).astype(np.int64)
    moved = np.take_along_axis(errors[0], clamped, arguments[2]) if errors[0].shape else 0.0
    return np.where(out_of_bounds, np.inf, moved)


@_rule("dot")
def _dot(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    if any(error.any() for error in errors):
        return np.full(result.shape, np.inf)
    lhs, rhs, acc = arguments[0], arguments[1], arguments[2]
    if not result.dtype.is_floating():
        return None
    # tf32, in which a GPU may compute matmuls of f32, has eleven bits.
    narrow = lhs.dtype.name == "fp32" and arguments[3] != "ieee"
    a, b = (np.asarray(side.handle, np.float64) for side in (lhs, rhs))
    return _sum_of_products(a, b, acc, narrow, result, flushes=lhs.dtype.name == "bf16")


@_rule("dot_scaled")
def _dot_scaled(arguments: Sequence[Any], operands: list[Any], errors: list[Any], result: Any) -> Bound:
    if any(error.any() for error in errors):
        return np.full(result.shape, np.inf)
    lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, _, lhs_packs, rhs_packs = arguments[:10]
    a = widened(lhs, lhs_format, -1 if lhs_packs else -2).astype(np.float64)
    b = widened(rhs, rhs_format, -2 if rhs_packs else -1).astype(np.float64)
    with np.errstate(all="ignore"):
        if lhs_scale is not None:
            a = a * spread_scale(lhs_scale, a.shape[-1])
        if rhs_scale is not None:
            b = b * np.swapaxes(spread_scale(rhs_scale, b.shape[-2]), -1, -2)
    return _sum_of_products(a, b, acc, False, result)


def _sum_of_products(a: Any, b: Any, acc: Any, narrow: bool, result: Any, *, flushes: bool = False) -> Bound:
    """Returns the error of a sum of products, in any order; ``flushes`` where denormals may count as zero."""
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return np.full(result.shape, np.inf)
    total = np.abs(a) @ np.abs(b) + (0.0 if acc is None else wide(acc))
    if not np.isfinite(total).all():
        return np.full(result.shape, np.inf)
    granularity = quantum(a) * quantum(b)
    if acc is not None:
        granularity = min(granularity, quantum(np.asarray(acc.handle, np.float64)))
    smallest = 2.0**-126 if flushes else tiny(result.dtype)
    tf32 = narrow and max(np.abs(a).max() / quantum(a), np.abs(b).max() / quantum(b)) > 2.0**11
    is_exact = np.max(total) <= granularity * 2.0 ** (result.dtype.fp_mantissa_width + 1)
    if is_exact and granularity >= smallest and not tf32:
        return None if acc is None else np.where(_all_negative_zeros(a, b, acc), EITHER_ZERO, 0.0)
    terms = a.shape[-1] + 2
    off = total * terms * 2 * (2.0**-10 if tf32 else unit(result.dtype)) + terms * smallest
    if flushes:
        flushed = [np.where(np.abs(side) < smallest, np.abs(side), 0.0) for side in (a, b)]
        off = off + flushed[0] @ np.abs(b) + np.abs(a) @ flushed[1]
    return np.where(total >= largest(result.dtype) / 2, np.inf, off)


def _all_negative_zeros(a: Any, b: Any, acc: Any) -> Any:
    """Returns where all terms of a sum of products are -0.0; a packed matmul may be padded with zeros, which add
    +0.0."""
    products = np.abs(a) @ np.abs(b)
    negative = np.signbit(a).astype(np.float64), np.signbit(b).astype(np.float64)
    negative_products = negative[0] @ (1 - negative[1]) + (1 - negative[0]) @ negative[1]
    start = np.asarray(acc.handle, np.float64)
    return (products == 0) & (negative_products == a.shape[-1]) & (start == 0) & np.signbit(start)


def sum_of(name: str, value: Any, axis: Any, result: Any) -> Bound:
    """Returns the error of a sum of floats: zero if every partial sum is a number of the type, in any order."""
    values = np.asarray(value.handle, np.float64)
    element_errors = np.zeros(values.shape) if error_of(value) is None else value.error
    finite = np.where(np.isfinite(values), np.abs(values), 0.0)

    def along(array: Any) -> Any:
        total = array.sum() if axis is None else np.sum(array, axis, keepdims=name != "reduce")
        return np.broadcast_to(np.reshape(total, result.shape) if name == "reduce" else total, result.shape)

    total, maximum = along(finite), largest(value.dtype)
    top = float(np.max(total, initial=0.0))
    if not element_errors.any() and top <= quantum(values) * 2.0 ** (value.dtype.fp_mantissa_width + 1):
        return None if top < maximum else np.where(total < maximum, 0.0, np.inf)
    count = values.size if axis is None else values.shape[axis]
    return np.where(total >= maximum / 2, np.inf, along(element_errors) + total * count * 2 * unit(value.dtype))


def product_of(value: Any, axis: Any, result: Any) -> Bound:
    """Returns the error of a product of floats: zero if every partial product is an integer of the type."""
    values = wide(value)
    factors = np.where(np.isfinite(values), np.maximum(values, 1.0), np.inf)
    with np.errstate(all="ignore"):
        maximum = np.max(np.prod(factors, axis=axis))
    if maximum <= 2.0 ** (value.dtype.fp_mantissa_width + 1) and np.all(np.rint(values) == values):
        return None
    return np.full(result.shape, np.inf)


def either_zero(result: Any) -> Any:
    """Returns the bounds of a selection among floats: the larger one of two zeros is undefined."""
    errors = [np.where(np.asarray(value.handle) == 0, EITHER_ZERO, 0.0) if value.dtype.is_floating() else np.zeros(())
             for value in flat([result])]  # fmt: skip
    return errors if isinstance(result, tuple) else errors[0]


def tied(value: Any, axis: int, result: Any) -> Any:
    """Returns the bounds of an extreme and its index, where any of several indices is right."""
    values = np.asarray(value.handle)
    extreme = np.reshape(result[0].handle, [1 if at == axis else size for at, size in enumerate(values.shape)])
    is_extreme = (values == extreme) | ((values != values) & (extreme != extreme))
    has_ties = np.reshape(is_extreme.sum(axis) > 1, result[0].shape)
    return either_zero(result[0]), np.where(has_ties, np.inf, 0.0)
