"""Arithmetic, bitwise and comparison ops. Functions such as exp are in math.py, conversions in cast.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import expects
from .cast import cast
from .constexpr import unwrap
from .numerics import Array
from .op import Emitter, Mode, Op, op
from .promotion import Rule, arithmetic, bitwise, promote, type_of, with_pointers
from .shape import as_tensor
from .tensor import tensor
from .types import dtype, float8e4b15, float32, int1, int64


def family(value: tensor, signed: str, unsigned: str, floating: str) -> str:
    """Returns one of three op names, by the type of a value."""
    assert isinstance(value.dtype, dtype)
    return floating if value.dtype.is_floating() else signed if value.dtype.is_int_signed() else unsigned


@op(operands=with_pointers("+"))
def add(x: tensor, y: tensor, sanitize_overflow: bool = True) -> tensor:
    """The sum ``x + y``; if ``x`` is a pointer, it is advanced by ``y`` elements.

    Args:
        x: A scalar, pointer, block or Python number.
        y: The same; the two are promoted and broadcast.
        sanitize_overflow: Accepted for compatibility with Triton; integers wrap.

    Raises:
        TypeMismatchError: Two pointers, a pointer and a float, or shapes that do not broadcast.

    Example:
        pointers = x_ptr + tl.arange(0, 128)
    """


@add.emit
def _emit_add(e: Emitter, x: tensor, y: tensor, sanitize_overflow: bool) -> Any:
    if y.dtype.is_ptr():
        x, y = y, x
    if not x.dtype.is_ptr():
        return e.create(family(x, "arith.addi", "arith.addi", "arith.addf"), x, y)
    return e.create("tt.addptr", x, _signed_offset(e, y), result=x.type)


def _signed_offset(mode: Mode, offset: tensor) -> Any:
    """Returns an offset in a signed type. A narrow unsigned one is widened first, so that it stays positive."""
    assert isinstance(offset.dtype, dtype)
    narrow = offset.dtype.is_int_unsigned() and offset.dtype.int_bitwidth < 64
    return mode.run(cast, (offset, int64), {}) if narrow else offset


@add.reference
def _reference_add(e: Any, x: tensor, y: tensor, sanitize_overflow: bool) -> Any:
    if y.dtype.is_ptr():
        x, y = y, x
    if not x.dtype.is_ptr():
        # NumPy's sum of bools is a logical or, but one-bit integers wrap.
        return e.typed(x.handle ^ y.handle if x.dtype == int1 else x.handle + y.handle, x)
    return tensor(x.handle + y.handle.astype(np.int64) * _element_bytes(x), x.type)


def _element_bytes(pointer: tensor) -> int:
    element = pointer.dtype.element_ty  # type: ignore[attr-defined]
    return max(int(element.primitive_bitwidth) // 8, 1)


@op(operands=with_pointers("-"))
def sub(x: tensor, y: tensor, sanitize_overflow: bool = True) -> tensor:
    """The difference ``x - y``; if ``x`` is a pointer, it is moved back by ``y`` elements.

    Raises:
        TypeMismatchError: ``y`` is a pointer, or the shapes do not broadcast.

    Example:
        shifted = x - tl.max(x, 0)
    """


@sub.emit
def _emit_sub(e: Emitter, x: tensor, y: tensor, sanitize_overflow: bool) -> Any:
    if x.dtype.is_ptr():
        return _emit_add(e, x, e.run(neg, (y,), {}), sanitize_overflow)
    return e.create(family(x, "arith.subi", "arith.subi", "arith.subf"), x, y)


@sub.reference
def _reference_sub(e: Any, x: tensor, y: tensor, sanitize_overflow: bool) -> Any:
    if not x.dtype.is_ptr():
        return e.typed(x.handle ^ y.handle if x.dtype == int1 else x.handle - y.handle, x)
    return tensor(x.handle - y.handle.astype(np.int64) * _element_bytes(x), x.type)


@op(operands=arithmetic("*"))
def mul(x: tensor, y: tensor, sanitize_overflow: bool = True) -> tensor:
    """The product ``x * y``. Integers wrap.

    Example:
        offset = tl.program_id(0) * BLOCK
    """


@mul.emit
def _emit_mul(e: Emitter, x: tensor, y: tensor, sanitize_overflow: bool) -> Any:
    return e.create(family(x, "arith.muli", "arith.muli", "arith.mulf"), x, y)


@mul.reference
def _reference_mul(x: Array, y: Array, sanitize_overflow: bool) -> Any:
    return x * y


def _true_division(mode: Mode, x: Any, y: Any) -> tuple[tensor, ...]:
    x, y = promote(mode, "/", x, y, division=True)
    if x.dtype.is_int():
        x, y = (mode.run(cast, (value, float32), {}) for value in (x, y))
    return x, y


@op(operands=_true_division)
def truediv(x: tensor, y: tensor) -> tensor:
    """The quotient ``x / y`` as a float: float64 if an operand is float64, else float32, for integers too.

    On a CPU it is correctly rounded; on a GPU a float32 may be off by two units in the last place.

    Example:
        mean = total / count
    """


@truediv.emit
def _emit_truediv(e: Emitter, x: tensor, y: tensor) -> Any:
    return e.create("arith.divf", x, y)


@truediv.reference
def _reference_truediv(x: Array, y: Array) -> Any:
    return x / y


def _integer_division(mode: Mode, x: Any, y: Any) -> tuple[tensor, ...]:
    x, y = promote(mode, "//", x, y, division=True)
    expects(x.dtype.is_int(), f"'//' expects integers, got {x.dtype}", hint="use tl.floor(x / y) for floats")
    return x, y


@op(operands=_integer_division)
def floordiv(x: tensor, y: tensor) -> tensor:
    """The integer quotient ``x // y``, rounded toward zero as in C; zero where ``y`` is zero.

    Raises:
        TypeMismatchError: An operand is a float, or one is signed and the other not.

    Example:
        row = tl.program_id(0) // columns
    """


@floordiv.emit
def _emit_floordiv(e: Emitter, x: tensor, y: tensor) -> Any:
    return e.create(family(x, "arith.divsi", "arith.divui", ""), x, y)


@floordiv.reference
def _reference_floordiv(x: Array, y: Array) -> Any:
    divisor = np.where(y == 0, np.ones_like(y), y)
    quotient = x // divisor
    toward_zero = quotient + ((x % divisor != 0) & ((x < 0) != (divisor < 0)))
    return np.where(y == 0, np.zeros_like(x), toward_zero).astype(x.dtype)


@op(operands=arithmetic("%", division=True))
def mod(x: tensor, y: tensor) -> tensor:
    """The remainder ``x % y`` with the sign of ``x``, as in C; zero where an integer ``y`` is zero.

    Raises:
        TypeMismatchError: One operand is signed and the other not.

    Example:
        column = tl.program_id(0) % columns
    """


@mod.emit
def _emit_mod(e: Emitter, x: tensor, y: tensor) -> Any:
    return e.create(family(x, "arith.remsi", "arith.remui", "arith.remf"), x, y)


@mod.reference
def _reference_mod(x: Array, y: Array) -> Any:
    if np.issubdtype(x.dtype, np.floating):
        return np.fmod(x, y)
    return np.where(y == 0, np.zeros_like(x), np.fmod(x, np.where(y == 0, np.ones_like(y), y))).astype(x.dtype)


def binary(
    name: str,
    manual: str,
    rule: Rule,
    emit: Callable[..., Any],
    reference: Callable[..., Any],
    *,
    method: bool = False,
) -> Op:
    """Declares an op that is available only as an operator or a method."""

    def declared(x: tensor, y: tensor) -> tensor:
        raise NotImplementedError  # The decorator replaces the body.

    declared.__name__, declared.__doc__, declared.__module__ = name, manual, emit.__module__
    made = op(operands=rule, method=method)(declared)
    made.emit(emit)
    made.reference(reference)
    return made


def _bit(name: str, symbol: str, emitted: str, reference: Callable[[Any, Any], Any]) -> Op:
    manual = f"""The bitwise ``x {symbol} y`` of integers or bools.

    Raises:
        TypeMismatchError: An operand is a float or a pointer.

    Example:
        y = x {symbol} 3
    """

    def emit(e: Emitter, x: tensor, y: tensor) -> Any:
        return e.create(emitted, x, y)

    return binary(name, manual, bitwise(symbol), emit, lambda x, y: reference(x, y))


def _shift(x: Array, y: Array, shift: Any) -> Any:
    # NumPy's shifts by the width or more give zero or the sign, as the language's do. Shifts of bools give bytes.
    return x & ~y if x.dtype == np.bool_ else shift(x, y.astype(x.dtype))


and_ = _bit("and_", "&", "arith.andi", np.bitwise_and)
or_ = _bit("or_", "|", "arith.ori", np.bitwise_or)
xor = _bit("xor", "^", "arith.xori", np.bitwise_xor)
shl = _bit("shl", "<<", "arith.shli", lambda x, y: _shift(x, y, np.left_shift))


def _shift_right(mode: Mode, x: Any, y: Any) -> tuple[Any, ...]:
    # The left operand's type before promotion decides whether the shift is arithmetic.
    own = type_of(unwrap(x))
    signed = isinstance(own, dtype) and own.is_int_signed()
    left, right = bitwise(">>")(mode, x, y)
    return left, right, signed


@op(operands=lambda mode, x, y, signed: _shift_right(mode, x, y))
def shr(x: tensor, y: tensor, signed: bool = True) -> tensor:
    """The shift ``x >> y``, which is arithmetic if ``x`` is signed.

    ``y`` is unsigned. Shifts by the width or more give zero, or -1 where a signed ``x`` is negative.

    Example:
        half = x >> 1
    """


@shr.emit
def _emit_shr(e: Emitter, x: tensor, y: tensor, signed: bool) -> Any:
    return e.create("arith.shrsi" if signed else "arith.shrui", x, y)


@shr.reference
def _reference_shr(x: Array, y: Array, signed: bool) -> Any:
    if x.dtype == np.bool_:
        return _shift(x, y, None)
    as_seen = x.view(x.dtype.str.replace("u", "i") if signed else x.dtype.str.replace("i", "u"))
    return _shift(as_seen, y, np.right_shift).view(x.dtype)


def _comparison(name: str, symbol: str, predicates: tuple[int, int, int], reference: Any) -> Op:
    signed, unsigned, floating = predicates
    manual = f"""The bools ``x {symbol} y``. A NaN is {"unequal to everything" if symbol == "!=" else "never so"}.

    Example:
        mask = offsets {symbol} n
    """

    def emit(e: Emitter, x: tensor, y: tensor) -> Any:
        predicate = family(x, str(signed), str(unsigned), str(floating))
        given = {"predicate": f"{predicate} : i64"}
        return e.create(family(x, "arith.cmpi", "arith.cmpi", "arith.cmpf"), x, y, attributes=given,
                        result=x.type.with_element_ty(int1))  # fmt: skip

    return binary(name, manual, arithmetic(symbol), emit, lambda x, y: reference(x, y))


equal = _comparison("equal", "==", (0, 0, 1), np.equal)
not_equal = _comparison("not_equal", "!=", (1, 1, 13), np.not_equal)
less_than = _comparison("less_than", "<", (2, 6, 4), np.less)
less_equal = _comparison("less_equal", "<=", (3, 7, 5), np.less_equal)
greater_than = _comparison("greater_than", ">", (4, 8, 2), np.greater)
greater_equal = _comparison("greater_equal", ">=", (5, 9, 3), np.greater_equal)


def _number(name: str, *, floats: bool) -> Rule:
    def rule(mode: Mode, x: Any) -> tuple[Any, ...]:
        value = as_tensor(mode, x)
        allowed = value.dtype.is_int() or (floats and value.dtype.is_floating())
        expects(allowed, f"unary '{name}' expects {'a number' if floats else 'integers or bools'}, got {value.dtype}")
        expects(
            name == "+" or value.dtype != float8e4b15, f"unary '{name}' cannot compute with float8e4b15",
            hint="convert with .to(tl.float16)",
        )  # fmt: skip
        return (value,)

    return rule


@op(operands=_number("-", floats=True))
def neg(x: tensor) -> tensor:
    """The negative ``-x``. Integers wrap.

    Example:
        y = tl.exp(-x)
    """


@neg.emit
def _emit_neg(e: Emitter, x: tensor) -> Any:
    return e.create("arith.negf", x) if x.dtype.is_floating() else e.create("arith.subi", e.constant(0, x.type), x)


@neg.reference
def _reference_neg(x: Array) -> Any:
    return x if x.dtype == np.bool_ else -x


@op(operands=_number("+", floats=True))
def pos(x: tensor) -> tensor:
    """The value ``x``, unchanged.

    Example:
        y = +x
    """


@pos.emit
def _emit_pos(e: Emitter, x: tensor) -> Any:
    return x


@pos.reference
def _reference_pos(x: Array) -> Any:
    return x


@op(operands=_number("~", floats=False))
def invert(x: tensor) -> tensor:
    """The value with every bit flipped, ``~x``.

    Example:
        outside = ~mask
    """


@invert.emit
def _emit_invert(e: Emitter, x: tensor) -> Any:
    return e.create("arith.xori", x, e.constant(True if x.dtype == int1 else -1, x.type))


@invert.reference
def _reference_invert(x: Array) -> Any:
    return ~x
