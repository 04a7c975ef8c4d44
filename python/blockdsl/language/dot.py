"""Matrix products. Elementwise arithmetic is in elementwise.py."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .. import knobs
from ..errors import expects
from . import numerics
from .attributes import INPUT_PRECISIONS, choice, i32
from .cast import cast
from .constexpr import unwrap
from .op import Emitter, Mode, op
from .shape import reshape
from .tensor import tensor
from .types import bfloat16, block, dtype, float8e4b15, float16, float32, float64, int8, int32

_OPERANDS = ("int8", "uint8", "fp16", "bf16", "fp32", "fp64")
# More than the depth of any dot: Hopper's matrix units then never stop to accumulate in full float32.
_UNBOUNDED = 1 << 30


def _dot_operands(
    mode: Mode,
    lhs: Any,
    rhs: Any,
    acc: Any,
    input_precision: Any,
    allow_tf32: Any,
    max_num_imprecise_acc: Any,
    out_dtype: Any,
) -> tuple[Any, ...]:
    for side, value in (("lhs", lhs), ("rhs", rhs)):
        expects(isinstance(value, tensor) and len(value.shape) >= 2,
                f"'dot' expects {side} to be a block of two or more dimensions, got "
                f"{value.type if isinstance(value, tensor) else repr(value)}",
                hint="of blocks of one dimension write tl.sum(x * y)")  # fmt: skip
        expects(value.dtype.is_fp8() or str(value.dtype) in _OPERANDS if isinstance(value.dtype, dtype) else False,
                f"'dot' expects {side} of {', '.join(_OPERANDS)} or an 8-bit float, got {value.dtype}",
                hint="convert both operands with .to(tl.float16)")  # fmt: skip
    both_fp8 = lhs.dtype.is_fp8() and rhs.dtype.is_fp8()
    expects(both_fp8 or lhs.dtype == rhs.dtype,
            f"'dot' expects operands of one type, got {lhs.dtype} and {rhs.dtype}",
            hint="convert one operand with .to(...)")  # fmt: skip
    if float8e4b15 in (lhs.dtype, rhs.dtype):
        lhs, rhs = (mode.run(cast, (side, float16), {}) for side in (lhs, rhs))
        both_fp8 = False
    expects(len(lhs.shape) == len(rhs.shape) and lhs.shape[:-2] == rhs.shape[:-2],
            f"'dot' expects operands of one rank and batch, got {lhs.shape} and {rhs.shape}")  # fmt: skip
    columns, rows = lhs.shape[-1], rhs.shape[-2]
    expects(columns == rows, f"'dot' expects lhs columns ({columns}) to equal rhs rows ({rows})",
            hint=f"the shapes are {lhs.shape} and {rhs.shape}; transpose one with tl.trans")  # fmt: skip
    requested = unwrap(out_dtype)
    if requested is None:
        requested = float32 if acc is None else acc.dtype
    else:
        is_supported = isinstance(requested, dtype) and (
            requested in (float16, float32) or lhs.dtype in (bfloat16, float32, float64)
        )
        expects(is_supported or lhs.dtype.is_int(), f"'dot' expects out_dtype float32 or float16, got {requested}")
    kind = _result_type(lhs.dtype, requested)
    shape = (*lhs.shape[:-1], rhs.shape[-1])
    if acc is not None:
        expects(acc.shape == shape, f"'dot' expects an accumulator of shape {shape}, got {acc.shape}")
        expects(acc.dtype == kind,
                f"'dot' expects an accumulator of {kind} for operands of {lhs.dtype}, got {acc.dtype}",
                hint=f"start from tl.zeros({shape}, tl.{repr(kind).rsplit('.', 1)[-1]})")  # fmt: skip
    precision = unwrap(input_precision)
    if precision is None:
        precision = knobs.language.fp32_default or ("ieee" if unwrap(allow_tf32) is False else "tf32")
    choice("dot", "input_precision", precision, INPUT_PRECISIONS)
    imprecise = unwrap(max_num_imprecise_acc)
    if imprecise is None:
        imprecise = _UNBOUNDED if both_fp8 else 0
    return lhs, rhs, acc, precision, None, imprecise, kind


def _result_type(operand: Any, requested: dtype) -> dtype:
    if operand.is_int():
        expects(operand == int8, f"'dot' expects signed integers of 8 bits, got {operand}", hint="use tl.int8")
        return int32
    expects(not requested.is_bf16(), f"'dot' expects out_dtype float32 or float16, got {requested}",
            hint="convert the result with .to(tl.bfloat16)")  # fmt: skip
    if operand.is_fp64():
        return float64
    return float16 if requested.is_fp16() and not operand.is_fp32() and not operand.is_bf16() else float32


@op(operands=_dot_operands)
def dot(
    input: tensor,
    other: tensor,
    acc: tensor | None = None,
    input_precision: str | None = None,
    allow_tf32: bool | None = None,
    max_num_imprecise_acc: int | None = None,
    out_dtype: dtype | None = None,
) -> tensor:
    """Matrix product of two blocks, added to ``acc`` when it is given.

    Args:
        input: A block of shape (M, K), or of more dimensions, (..., M, K).
        other: A block of shape (K, N), or (..., K, N), of the same type.
        acc: A block of shape (M, N), or (..., M, N), of the result's type.
        input_precision: The precision of float32 operands on a GPU: ``"tf32"`` (the default), ``"tf32x3"``,
            ``"bf16x3"``, ``"bf16x6"``, or ``"ieee"`` for no rounding. The CPU never rounds them.
            ``knobs.language.fp32_default`` changes the default.
        allow_tf32: An older spelling: ``True`` is ``"tf32"``, ``False`` is ``"ieee"``.
        max_num_imprecise_acc: The number of products of 8-bit floats that a GPU may accumulate with fewer bits;
            unlimited by default.
        out_dtype: ``tl.float16`` accumulates half-precision operands in half precision.

    Returns:
        float32; int32 for int8 operands, float64 for float64, float16 if ``out_dtype`` requests it.

    Raises:
        TypeMismatchError: The inner extents, types or the accumulator do not fit.

    Example:
        c = tl.dot(a, b)        # (16, 8) and (8, 4) give (16, 4)
    """


@dot.emit
def _emit_dot(
    e: Emitter,
    input: tensor,
    other: tensor,
    acc: tensor | None,
    input_precision: str,
    allow_tf32: None,
    max_num_imprecise_acc: int,
    out_dtype: dtype,
) -> Any:
    result = block(out_dtype, (*input.shape[:-1], other.shape[-1]))
    start = e.constant(0, result) if acc is None else acc
    if len(input.shape) > 3:
        # The dialect has one batch dimension.
        count = prod(input.shape[:-2])
        a, b, c = (e.run(reshape, (value, (count, *value.shape[-2:])), {}) for value in (input, other, start))
        product = _emit_dot(e, a, b, c, input_precision, allow_tf32, max_num_imprecise_acc, out_dtype)
        return e.run(reshape, (product, result.shape), {})
    given = {
        "inputPrecision": i32(INPUT_PRECISIONS[input_precision]),
        "maxNumImpreciseAcc": i32(max_num_imprecise_acc),
    }
    return e.create("tt.dot", input, other, start, attributes=given, result=result)


@dot.reference
def _reference_dot(
    e: Any,
    input: tensor,
    other: tensor,
    acc: tensor | None,
    input_precision: str,
    allow_tf32: None,
    max_num_imprecise_acc: int,
    out_dtype: dtype,
) -> Any:
    carrier = numerics.carrier(out_dtype)
    # Products of narrow floats are exact in float32, as is every product of 8-bit integers in int32.
    wide = np.dtype(np.float32) if out_dtype.is_fp16() else carrier
    product = input.handle.astype(wide) @ other.handle.astype(wide)
    total = product if acc is None else acc.handle.astype(wide) + product
    return tensor(total.astype(carrier), block(out_dtype, total.shape))
