"""Conversions between types. promotion.py calls them for implicit conversions of operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import expects
from . import attributes, numerics
from . import float8e4b15 as e4b15
from .constexpr import unwrap
from .op import Emitter, Mode, as_method, op
from .scalars import literal_type
from .suggestions import expect_type
from .tensor import tensor
from .types import Scalar, Type, dtype, float8e4b15, float16, float32, int1, int64


def _operands(
    mode: Mode, input: Any, dtype: Any, fp_downcast_rounding: Any, bitcast: Any
) -> tuple[tensor, Scalar, str | None, bool]:
    target = unwrap(dtype)
    expect_type("cast", target)
    element = target.scalar
    value = input if isinstance(input, tensor) else mode.constant(unwrap(input), literal_type(unwrap(input)))
    rounding = unwrap(fp_downcast_rounding)
    if rounding is not None and value.dtype != element:
        narrows = value.dtype.is_floating() and element.is_floating()
        narrows = narrows and element.primitive_bitwidth < value.dtype.primitive_bitwidth
        expects(
            narrows and not unwrap(bitcast),
            f"'cast' expects fp_downcast_rounding only where a float gets narrower, got {value.dtype} to {element}",
        )
        attributes.choice("cast", "fp_downcast_rounding", rounding, attributes.ROUNDING_MODES)
    expects(
        element != float8e4b15 or value.dtype in (element, float16, float32) or unwrap(bitcast),
        f"'cast' expects float16 or float32 where the result is float8e4b15, got {value.dtype}",
        hint="convert with .to(tl.float32) before",
    )
    return value, element, None if value.dtype == element else rounding, bool(unwrap(bitcast))


@op(operands=_operands, method=True)
def cast(input: tensor, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """Converts every element to another type.

    Args:
        input: A scalar, a block, or a Python number.
        dtype: The type to convert to. Floats become integers by truncation, the nearest one where they do not fit and
            zero for NaN; anything becomes ``int1`` by ``!= 0``.
        fp_downcast_rounding: ``"rtne"`` (the default) or ``"rtz"``, for narrowing of floats. It has no effect for
            ``float8e4b15``: float32 is truncated to float16, which is rounded to the nearest, ties away from zero.
        bitcast: Reinterpret the bits; both types must have the same width.

    Returns:
        A value of the same shape.

    Raises:
        TypeMismatchError: The two types cannot be converted, or a bitcast changes the width.

    Example:
        half = x.to(tl.float16)
        bits = x.to(tl.int32, bitcast=True)
    """


as_method("to", cast)


@cast.emit
def _emit_cast(e: Emitter, input: tensor, dtype: Scalar, fp_downcast_rounding: str | None, bitcast: bool) -> tensor:
    source, target = input.dtype, dtype
    result = input.type.with_element_ty(target)
    if source == target:
        return input
    if bitcast or (source.is_ptr() and target.is_ptr()):
        return _bitcast(e, input, result)
    if source.is_ptr() or target.is_ptr():
        return _cast_pointer(e, input, result)
    if source.is_floating() and target.is_floating():
        return _cast_float(e, input, result, fp_downcast_rounding)
    assert isinstance(source, _NUMBER)
    assert isinstance(target, _NUMBER)
    if (source.is_floating() and source.primitive_bitwidth < 32) or target.is_fp8():
        # Narrow floats are converted to and from integers through float32.
        return _one(e.run(cast, (e.run(cast, (input, float32), {}), target), {}))
    if target.is_bool():
        zero = e.constant(0, input.type)
        # The predicates `une` and `ne`.
        name, predicate = ("arith.cmpf", "13 : i64") if source.is_floating() else ("arith.cmpi", "1 : i64")
        return _one(e.create(name, input, zero, attributes={"predicate": predicate}, result=result))
    return _one(e.create(_number_cast(source, target), input, result=result))


_NUMBER = dtype


def _number_cast(source: dtype, target: dtype) -> str:
    """Returns the op that converts between an integer and a number of another family or width."""
    if source.is_floating():
        return "arith.fptosi" if target.is_int_signed() else "arith.fptoui"
    extends_sign = source.is_int_signed() and not source.is_bool()
    if target.is_floating():
        return "arith.sitofp" if extends_sign else "arith.uitofp"
    if source.primitive_bitwidth == target.primitive_bitwidth:
        return "arith.bitcast"
    if source.primitive_bitwidth > target.primitive_bitwidth:
        return "arith.trunci"
    return "arith.extsi" if extends_sign else "arith.extui"


def _cast_float(e: Emitter, input: tensor, result: Type, rounding: str | None) -> tensor:
    source, target = input.dtype, result.scalar
    assert isinstance(source, _NUMBER)
    assert isinstance(target, _NUMBER)
    if source == float8e4b15:
        return _one(e.run(cast, (e4b15.emit_to_half(e, input), target), {}))
    if target == float8e4b15:
        return e4b15.emit_from_half(e, _one(e.run(cast, (input, float16, "rtz" if source.is_fp32() else None), {})))
    narrows = target.primitive_bitwidth < source.primitive_bitwidth
    between_halves = {source.name, target.name} == {"bf16", "fp16"}
    if source.is_fp8() or target.is_fp8() or rounding == "rtz" or between_halves:
        mode = attributes.i32(attributes.ROUNDING_MODES[rounding or "rtne"])
        given = {"rounding": mode} if narrows or between_halves else {}
        return _one(e.create("tt.fp_to_fp", input, attributes=given, result=result))
    if source.primitive_bitwidth == 16 and not target.is_fp32():
        return _one(e.run(cast, (e.run(cast, (input, float32), {}), target), {}))
    return _one(e.create("arith.truncf" if narrows else "arith.extf", input, result=result))


def _cast_pointer(e: Emitter, input: tensor, result: Type) -> tensor:
    source, target = input.dtype, result.scalar
    if source.is_ptr() and target == int1:
        address = e.run(cast, (input, int64), {})
        return _one(e.run(cast, (address, int1), {}))
    if source.is_ptr() and target.is_int() and target.primitive_bitwidth == 64:
        return _one(e.create("tt.ptr_to_int", input, result=result))
    expects(source.is_int() and target.is_ptr(), f"'cast' cannot convert {source} to {target}",
            hint="an address converts to a 64-bit integer only; load an element as in tl.load(x_ptr)")  # fmt: skip
    return _one(e.create("tt.int_to_ptr", input, result=result))


def _bitcast(e: Emitter, input: tensor, result: Type) -> tensor:
    source, target = input.dtype, result.scalar
    if source.is_ptr() != target.is_ptr():
        return _cast_pointer(e, input, result)
    expects(
        source.primitive_bitwidth == target.primitive_bitwidth,
        f"'cast' with bitcast expects types of one width, got {source} ({source.primitive_bitwidth} bits) "
        f"and {target} ({target.primitive_bitwidth} bits)",
    )
    return _one(e.create("tt.bitcast", input, result=result))


def _one(value: Any) -> tensor:
    assert isinstance(value, tensor)
    return value


@cast.reference
def _reference_cast(e: Any, input: tensor, dtype: Scalar, fp_downcast_rounding: str | None, bitcast: bool) -> tensor:
    source, target, values = input.dtype, dtype, input.handle
    result = input.type.with_element_ty(target)
    if source == target:
        return input
    if bitcast and not (source.is_ptr() or target.is_ptr()):
        expects(
            source.primitive_bitwidth == target.primitive_bitwidth,
            f"'cast' with bitcast expects types of one width, got {source} ({source.primitive_bitwidth} bits) "
            f"and {target} ({target.primitive_bitwidth} bits)",
        )
        bits = np.ascontiguousarray(numerics.store(values, source))
        return tensor(numerics.load(bits.view(numerics.storage(target)).reshape(values.shape), target), result)
    if source.is_ptr() or target.is_ptr():
        wide = 64 in (source.primitive_bitwidth, target.primitive_bitwidth)
        expects(wide, f"'cast' cannot convert {source} to {target}")
        return tensor(values.astype(numerics.carrier(target)), result)
    if target == int1:
        return tensor(values != 0, result)
    if target == float8e4b15:
        return tensor(e4b15.from_float(values), result)
    if fp_downcast_rounding == "rtz":
        assert isinstance(target, _NUMBER)
        if target.is_fp32():
            nearest = values.astype(np.float32)
            over = np.abs(nearest.astype(np.float64)) > np.abs(values)
            return tensor(np.where(over, np.nextafter(nearest, np.float32(0)), nearest), result)
        return tensor(numerics.round_to(values, target, toward_zero=True), result)
    if source.is_floating() and target.is_int():
        assert isinstance(target, _NUMBER)
        return tensor(numerics.to_integer(values, target), result)
    return tensor(numerics.fit(values, target), result)
