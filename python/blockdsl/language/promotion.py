"""Promotion and broadcasting of operands with different types and shapes, as in Triton 3.9.

The compiler and the interpreter use the same rules, which run before either facet of an op.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import TypeMismatchError, expects
from .cast import cast
from .constexpr import unwrap
from .op import Mode
from .scalars import ScalarNumber, is_literal, literal_type
from .shape import as_tensor, broadcast_shape, broadcast_value
from .tensor import tensor
from .types import Scalar, bfloat16, dtype, float8e4b15, float16, float32, float64


def integer_promote(a: dtype, b: dtype) -> dtype:
    """Returns the common integer type by C's rules: the wider type; for equal width the unsigned one."""
    if a.int_signedness == b.int_signedness:
        return a if a.primitive_bitwidth > b.primitive_bitwidth else b
    unsigned, signed = (a, b) if a.is_int_unsigned() else (b, a)
    return unsigned if unsigned.primitive_bitwidth >= signed.primitive_bitwidth else signed


@functools.cache
def computation_type(op: str, a: Scalar, b: Scalar, *, literal: str = "", division: bool = False) -> dtype:
    """Returns the type in which two operands are combined.

    Args:
        op: The op's name, for messages.
        a: Type of the left operand.
        b: Type of the right operand.
        literal: ``"a"`` or ``"b"`` if only this operand is a Python number, which does not promote a kind that it fits.
        division: The op is a division or remainder.

    Raises:
        TypeMismatchError: The types do not combine.
    """
    expects(
        isinstance(a, dtype) and isinstance(b, dtype), f"'{op}' expects numbers, got {a} and {b}",
        hint="add an integer offset to a pointer, then load" if a.is_ptr() or b.is_ptr() else None,
    )  # fmt: skip
    assert isinstance(a, dtype)
    assert isinstance(b, dtype)
    if literal == "a" and a.kind() <= b.kind():
        a = b
    elif literal == "b" and b.kind() <= a.kind():
        b = a
    if float64 in (a, b):
        return float64
    if division and (a.is_floating() or b.is_floating()):
        return float32
    for wider in (float32, float16):
        if wider in (a, b):
            return wider
    if bfloat16 in (a, b):
        return bfloat16 if a == b else float32
    if a.is_fp8() and b.is_fp8():
        expects(
            op == "where" or not a == b == float8e4b15,
            f"'{op}' cannot compute with {float8e4b15.codegen_name()}", hint="convert with .to(tl.float16)"
        )  # fmt: skip
        return a if a == b else float16
    expects(a.is_int() and b.is_int(), f"'{op}' cannot combine {a} and {b}", hint="convert one with .to(...)")
    expects(
        not division or a.int_signedness == b.int_signedness,
        f"'{op}' expects operands of one signedness, got {a} and {b}",
        hint="convert one with .to(...); a quotient of mixed signs is rarely what is meant",
    )
    return integer_promote(a, b)


def type_of(value: Any) -> Scalar:
    """Returns the element type of an operand: a tensor's own, or a Python number's literal type."""
    return value.dtype if isinstance(value, tensor) else literal_type(value)


def convert(mode: Mode, op: str, value: Any, target: dtype) -> tensor:
    """Converts an operand to the type of the computation.

    Raises:
        TypeMismatchError: A Python number does not fit the type.
    """
    if isinstance(value, ScalarNumber):
        value = as_tensor(mode, value)
    if isinstance(value, tensor):
        if value.dtype == target:
            return value
        result = mode.run(cast, (value, target), {})
        assert isinstance(result, tensor)
        return result
    expects(
        not (value < 0 and target.is_int_unsigned()),
        f"'{op}' cannot combine an unsigned block of {target} with the negative number {value}",
        hint="convert the block to a signed type with .to(...)",
    )
    if target.is_int():
        low, high = target.get_int_min_value(), target.get_int_max_value()
        expects(
            low <= value <= high,
            f"'{op}' expects a number from {low} to {high} for {target}, got {value}",
            hint="convert the other operand to a wider type with .to(...)",
        )
    if target == float8e4b15:
        return convert(mode, op, mode.constant(value, float32), target)
    result = mode.constant(value, target)
    assert isinstance(result, tensor)
    return result


def together(mode: Mode, *operands: tensor) -> tuple[tensor, ...]:
    """Returns tensors broadcast to their common shape."""
    shape: tuple[int, ...] = operands[0].shape
    if all(operand.shape == shape for operand in operands[1:]):
        return operands
    for operand in operands:
        shape = broadcast_shape(shape, operand.shape)
    return tuple(broadcast_value(mode, operand, shape) for operand in operands)


def promote(mode: Mode, op: str, x: Any, y: Any, *, division: bool = False) -> tuple[tensor, ...]:
    """Returns two operands in their common type and shape."""
    x, y = unwrap(x), unwrap(y)
    lone = is_literal(x) != is_literal(y)
    literal = "" if not lone else "a" if is_literal(x) else "b"
    target = computation_type(op, type_of(x), type_of(y), literal=literal, division=division)
    return together(mode, convert(mode, op, x, target), convert(mode, op, y, target))


Rule = Callable[..., tuple[Any, ...]]


def arithmetic(op: str, *, division: bool = False) -> Rule:
    """Returns the operand rule of a binary op on numbers. Further arguments are unchanged."""

    def rule(mode: Mode, x: Any, y: Any, *rest: Any) -> tuple[Any, ...]:
        return (*promote(mode, op, x, y, division=division), *map(unwrap, rest))

    return rule


def with_pointers(op: str) -> Rule:
    """Returns the operand rule of ``+`` and ``-``. One operand may be a pointer and the other an integer offset."""

    def rule(mode: Mode, x: Any, y: Any, *rest: Any) -> tuple[Any, ...]:
        x, y = unwrap(x), unwrap(y)
        a, b = type_of(x), type_of(y)
        if not a.is_ptr() and not b.is_ptr():
            return (*promote(mode, op, x, y), *map(unwrap, rest))
        expects(
            not (a.is_ptr() and b.is_ptr()),
            f"'{op}' cannot combine two pointers, got {a} and {b}",
            hint="subtract their integer offsets" if op == "-" else "load both, as in tl.load(x_ptr) + tl.load(y_ptr)",
        )
        expects(op == "+" or a.is_ptr(), f"'{op}' cannot take a pointer from a number, got {a} and {b}")
        expects(
            (b if a.is_ptr() else a).is_int(),
            f"'{op}' expects an integer offset to a pointer, got {b if a.is_ptr() else a}",
            hint="convert the offset with .to(tl.int32)",
        )
        return (*together(mode, as_tensor(mode, x), as_tensor(mode, y)), *map(unwrap, rest))

    return rule


def bitwise(op: str) -> Rule:
    """Returns the operand rule of ``& | ^ << >>``, for integers only."""

    def rule(mode: Mode, x: Any, y: Any) -> tuple[Any, ...]:
        a, b = type_of(unwrap(x)), type_of(unwrap(y))
        if not (isinstance(a, dtype) and isinstance(b, dtype) and a.is_int() and b.is_int()):
            shifted = "convert with .to(tl.int32) before, or multiply by a power of two"
            raise TypeMismatchError(
                f"'{op}' expects integers or bools, got {a} and {b}",
                hint=shifted if op in ("<<", ">>") else "compare first, as in (x > 0) & (y > 0)",
            )
        return promote(mode, op, x, y)

    return rule


def ternary(op: str) -> Rule:
    """Returns the operand rule of an op on three numbers: blocks decide the type, Python numbers are converted."""

    def rule(mode: Mode, *arguments: Any) -> tuple[Any, ...]:
        operands, rest = [unwrap(value) for value in arguments[:3]], arguments[3:]
        groups: dict[bool, dtype] = {}
        for operand in operands:
            among_literals, own = is_literal(operand), type_of(operand)
            before = groups.get(among_literals)
            groups[among_literals] = computation_type(op, own if before is None else before, own)
        target = groups.get(False, groups.get(True))
        if len(groups) == 2:
            target = computation_type(op, groups[False], groups[True], literal="b")
        assert target is not None
        converted = [convert(mode, op, operand, target) for operand in operands]
        return (*together(mode, *converted), *map(unwrap, rest))

    return rule
