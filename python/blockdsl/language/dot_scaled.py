"""Matrix products of blocks in microscaling formats. Plain ones are in dot.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import expects
from . import numerics
from .attributes import boolean, choice
from .cast import cast
from .constexpr import unwrap
from .numerics import Array
from .op import Emitter, Mode, op
from .tensor import tensor
from .types import bfloat16, block, dtype, float8e4nv, float8e5, float16, float32, uint8, uint16

_FORMATS = {"e4m3": 0, "e5m2": 1, "e2m1": 4, "bf16": 5, "fp16": 6}
# The element types of formats, and the integer types in which their bits may be passed.
_TYPES = {
    "e4m3": (float8e4nv, uint8), "e5m2": (float8e5, uint8), "bf16": (bfloat16, uint16), "fp16": (float16, uint16),
    "e2m1": (uint8, uint8),
}  # fmt: skip
# A sign, two bits of exponent, one of mantissa.
_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


def _factor(mode: Mode, side: str, value: Any, name: Any, k_pack: Any) -> tuple[tensor, str, bool]:
    expects(isinstance(value, tensor) and len(value.shape) in (2, 3),
            f"'dot_scaled' expects {side} to be a block of two or three dimensions, got "
            f"{value.type if isinstance(value, tensor) else repr(value)}")  # fmt: skip
    form, packs = unwrap(name), bool(unwrap(k_pack))
    choice("dot_scaled", f"{side}_format", form, _FORMATS)
    kind, bits = _TYPES[form]
    expects(value.dtype in (kind, bits), f"'dot_scaled' expects {side} in the format {form} to be of {kind}"
            f"{f', or its bits as {bits}' if kind != bits else ''}, got {value.dtype}")  # fmt: skip
    expects(packs or form == "e2m1",
            f"'dot_scaled' expects {side} to be of e2m1 where {side}_k_pack is False, got {form}")  # fmt: skip
    if value.dtype != kind:
        value = mode.run(cast, (value, kind), {"bitcast": True})
    return value, form, packs


def _scale(side: str, value: Any, outer: int, inner: int, batch: tuple[int, ...]) -> tensor | None:
    value = unwrap(value)
    if value is None:
        return None
    expects(isinstance(value, tensor) and value.dtype in (uint8, float8e4nv),
            f"'dot_scaled' expects {side}_scale of uint8 (exponents) or fp8e4nv, got "
            f"{value.dtype if isinstance(value, tensor) else repr(value)}")  # fmt: skip
    shapes = [(*batch, outer, inner // group) for group in (32, 16)]
    expects(value.shape in shapes, f"'dot_scaled' expects {side}_scale of shape {shapes[0]} or {shapes[1]}, "
            f"got {value.shape}", hint="a row of scales for each row of lhs, or column of rhs")  # fmt: skip
    assert isinstance(value, tensor)
    return value


def _operands(
    mode: Mode,
    lhs: Any,
    lhs_scale: Any,
    lhs_format: Any,
    rhs: Any,
    rhs_scale: Any,
    rhs_format: Any,
    acc: Any,
    fast_math: Any,
    lhs_k_pack: Any,
    rhs_k_pack: Any,
    out_dtype: Any,
) -> tuple[Any, ...]:
    lhs, left, lhs_packs = _factor(mode, "lhs", lhs, lhs_format, lhs_k_pack)
    rhs, right, rhs_packs = _factor(mode, "rhs", rhs, rhs_format, rhs_k_pack)
    expects(len(lhs.shape) == len(rhs.shape) and lhs.shape[:-2] == rhs.shape[:-2],
            f"'dot_scaled' expects operands of one rank and batch, got {lhs.shape} and {rhs.shape}")  # fmt: skip
    rows, columns = _extents(lhs, left, lhs_packs)
    inner, width = _extents(rhs, right, not rhs_packs)
    expects(columns == inner, f"'dot_scaled' expects lhs columns ({columns} elements) to equal rhs rows ({inner} "
            f"elements)", hint=f"the shapes are {lhs.shape} and {rhs.shape}; a byte of e2m1 holds two")  # fmt: skip
    batch = lhs.shape[:-2]
    scales = [_scale("lhs", lhs_scale, rows, inner, batch), _scale("rhs", rhs_scale, width, inner, batch)]
    kind = unwrap(out_dtype)
    expects(kind == float32, f"'dot_scaled' expects out_dtype float32, got {kind}",
            hint="convert the result with .to(...)")  # fmt: skip
    acc, shape = unwrap(acc), (*batch, rows, width)
    if acc is not None:
        expects(isinstance(acc, tensor) and acc.shape == shape and acc.dtype == kind,
                f"'dot_scaled' expects an accumulator of {block(kind, shape)}, got {getattr(acc, 'type', acc)}",
                hint=f"start from tl.zeros({shape}, tl.float32)")  # fmt: skip
    return lhs, scales[0], left, rhs, scales[1], right, acc, bool(unwrap(fast_math)), lhs_packs, rhs_packs, kind


def _extents(value: tensor, form: str, in_columns: bool) -> tuple[int, int]:
    """Returns the number of elements in the last two dimensions."""
    each = 2 if form == "e2m1" else 1
    return value.shape[-2] * (1 if in_columns else each), value.shape[-1] * (each if in_columns else 1)


@op(operands=_operands)
def dot_scaled(
    lhs: tensor,
    lhs_scale: tensor | None,
    lhs_format: str,
    rhs: tensor,
    rhs_scale: tensor | None,
    rhs_format: str,
    acc: tensor | None = None,
    fast_math: bool = False,
    lhs_k_pack: bool = True,
    rhs_k_pack: bool = True,
    out_dtype: dtype = float32,
) -> tensor:
    """Matrix product of two blocks in microscaling formats, added to ``acc`` when it is given.

    The formats are those of the Open Compute Project's MX specification (version 1.0, 2023). On a CPU elements and
    scales are multiplied in float32, which is exact; a GPU without scaled products multiplies in bfloat16.

    Args:
        lhs: A block of shape (M, K), or (B, M, K). A byte holds two elements of ``e2m1``, the first in its low bits.
        lhs_scale: A block of shape (M, K // 32), or (M, K // 16): exponents as uint8 (127 is 1, 255 is NaN), or 8-bit
            floats. None is 1.
        lhs_format: ``e2m1``, ``e4m3``, ``e5m2``, ``bf16`` or ``fp16``.
        rhs: A block of shape (K, N), or (B, K, N).
        rhs_scale: A block of shape (N, K // 32), or (N, K // 16): not transposed.
        rhs_format: As ``lhs_format``.
        acc: A block of shape (M, N), or (B, M, N), of float32.
        fast_math: Lets a GPU ignore NaN among the scales.
        lhs_k_pack: Whether a byte of ``e2m1`` in ``lhs`` holds neighbors along K; else along M.
        rhs_k_pack: Whether a byte of ``e2m1`` in ``rhs`` holds neighbors along K; else along N.
        out_dtype: ``tl.float32``.

    Returns:
        A block of float32.

    Raises:
        TypeMismatchError: Formats, types, extents, scales or the accumulator do not fit.

    Example:
        c = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e4m3")
    """


@dot_scaled.emit
def _emit(
    e: Emitter,
    lhs: tensor,
    lhs_scale: tensor | None,
    lhs_format: str,
    rhs: tensor,
    rhs_scale: tensor | None,
    rhs_format: str,
    acc: tensor | None,
    fast_math: bool,
    lhs_k_pack: bool,
    rhs_k_pack: bool,
    out_dtype: dtype,
) -> Any:
    rows = _extents(lhs, lhs_format, lhs_k_pack)[0]
    width = _extents(rhs, rhs_format, not rhs_k_pack)[1]
    result = block(out_dtype, (*lhs.shape[:-2], rows, width))
    start = e.constant(0, result) if acc is None else acc
    operands = [value for value in (lhs, rhs, start, lhs_scale, rhs_scale) if value is not None]
    given = {
        "operandSegmentSizes": f"array<i32: 1, 1, 1, {int(lhs_scale is not None)}, {int(rhs_scale is not None)}>",
        "a_elem_type": choice("dot_scaled", "lhs_format", lhs_format, _FORMATS),
        "b_elem_type": choice("dot_scaled", "rhs_format", rhs_format, _FORMATS),
        "fastMath": boolean(fast_math),
        "lhs_k_pack": boolean(lhs_k_pack),
        "rhs_k_pack": boolean(rhs_k_pack),
    }
    return e.create("tt.dot_scaled", *operands, attributes=given, result=result)


@dot_scaled.reference
def _reference(
    e: Any,
    lhs: tensor,
    lhs_scale: tensor | None,
    lhs_format: str,
    rhs: tensor,
    rhs_scale: tensor | None,
    rhs_format: str,
    acc: tensor | None,
    fast_math: bool,
    lhs_k_pack: bool,
    rhs_k_pack: bool,
    out_dtype: dtype,
) -> Any:
    left = widened(lhs, lhs_format, -1 if lhs_k_pack else -2)
    right = widened(rhs, rhs_format, -2 if rhs_k_pack else -1)
    with np.errstate(all="ignore"):
        if lhs_scale is not None:
            left = left * spread_scale(lhs_scale, left.shape[-1])
        if rhs_scale is not None:
            right = right * np.swapaxes(spread_scale(rhs_scale, right.shape[-2]), -1, -2)
        total = left @ right if acc is None else acc.handle + left @ right
    return tensor(total.astype(np.float32), block(out_dtype, total.shape))


def widened(value: tensor, form: str, along: int) -> Array:
    """Returns the elements in float32."""
    if form != "e2m1":
        return np.asarray(value.handle, np.float32)
    pairs = np.stack([_E2M1[value.handle & 15], _E2M1[value.handle >> 4]], along % value.handle.ndim + 1)
    shape = list(value.shape)
    shape[along] *= 2
    return pairs.reshape(shape)


def spread_scale(scale: tensor, size: int) -> Array:
    """Returns the scale of each element."""
    numbers = np.asarray(scale.handle, np.float32)
    if scale.dtype == uint8:
        numbers = np.where(numbers == 255, np.nan, np.exp2(numbers.astype(np.float64) - 127)).astype(np.float32)
    return numerics.fit(np.repeat(numbers, size // scale.shape[-1], axis=-1), float32)
