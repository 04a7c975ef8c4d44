"""Mathematical functions of one to three numbers. The table below lists the supported types."""

from __future__ import annotations

import math as host
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import expects
from .constexpr import unwrap
from .elementwise import family
from .numerics import Array, fit
from .op import Emitter, Mode, Op, library, op
from .promotion import Rule, arithmetic, promote, ternary
from .shape import as_tensor
from .tensor import tensor
from .types import float8e4b15, int8

_FLOATS = ("fp32", "fp64")


def only(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raises TypeMismatchError unless a value's element type is among the allowed ones."""
    expects(
        str(value.dtype) in allowed,
        f"'{name}' expects {' or '.join(allowed)}, got {value.dtype}",
        hint="convert with .to(tl.float32)" if "fp32" in allowed else None,
    )


def _unary_operands(name: str, allowed: tuple[str, ...]) -> Rule:
    def rule(mode: Mode, x: Any) -> tuple[Any, ...]:
        value = as_tensor(mode, x)
        only(name, value, allowed)
        return (value,)

    return rule


def _unary(
    name: str, emitted: str, summary: str, reference: Callable[[Array], Any], allowed: tuple[str, ...] = _FLOATS
) -> Op:
    """Declares a function of one float."""

    def declared(x: tensor) -> tensor:
        raise NotImplementedError  # The decorator replaces the body.

    declared.__name__ = name
    declared.__doc__ = f"""{summary}, element by element.

    Args:
        x: A scalar or block of {" or ".join(allowed)}.

    Raises:
        TypeMismatchError: ``x`` has another type.

    Example:
        y = tl.{name}(x)
    """
    made = op(operands=_unary_operands(name, allowed), method=True)(declared)
    made.emit(lambda e, x: e.create(emitted, x))
    made.reference(lambda x: reference(x))
    return made


# Elementwise functions that NumPy lacks, in float64; the interpreter rounds them.
_erf = np.vectorize(host.erf, otypes=[np.float64])

exp = _unary("exp", "math.exp", "The exponential", np.exp)
exp2 = _unary("exp2", "math.exp2", "Two to the power of the value", np.exp2)
log = _unary("log", "math.log", "The natural logarithm", np.log)
log2 = _unary("log2", "math.log2", "The logarithm to base two", np.log2)
sin = _unary("sin", "math.sin", "The sine", np.sin)
cos = _unary("cos", "math.cos", "The cosine", np.cos)
sqrt = _unary("sqrt", "math.sqrt", "The square root", np.sqrt)
rsqrt = _unary("rsqrt", "math.rsqrt", "One over the square root", lambda x: 1 / np.sqrt(x.astype(np.float64)))
erf = _unary("erf", "math.erf", "The error function", lambda x: _erf(x).astype(x.dtype))
floor = _unary("floor", "math.floor", "The largest whole number that is not above the value", np.floor)
ceil = _unary("ceil", "math.ceil", "The smallest whole number that is not below the value", np.ceil)
sqrt_rn = _unary("sqrt_rn", "tt.precise_sqrt", "The square root, correctly rounded", np.sqrt, ("fp32",))


def _any_number(mode: Mode, x: Any) -> tuple[Any, ...]:
    value = as_tensor(mode, x)
    expects(not value.dtype.is_ptr(), f"'abs' expects numbers, got {value.dtype}")
    return (value,)


@op(operands=_any_number, method=True)
def abs(x: tensor) -> tensor:
    """The absolute value. The most negative integer is unchanged.

    Example:
        y = tl.abs(x)
    """


@abs.emit
def _emit_abs(e: Emitter, x: tensor) -> Any:
    if x.dtype == float8e4b15:
        return e.create("arith.andi", x, e.constant(0x7F, x.type.with_element_ty(int8)), result=x.type)
    name = family(x, "math.absi", "", "math.absf")
    return e.create(name, x) if name else x


@abs.reference
def _reference_abs(x: Array) -> Any:
    return np.abs(x)


def _same_float(name: str) -> Rule:
    def rule(mode: Mode, x: Any, y: Any) -> tuple[Any, ...]:
        operands = promote(mode, name, x, y)
        only(name, operands[0], ("fp32",))
        return operands

    return rule


@op(operands=_same_float("div_rn"))
def div_rn(x: tensor, y: tensor) -> tensor:
    """The quotient ``x / y`` of float32, correctly rounded.

    Raises:
        TypeMismatchError: The operands promote to another type than float32.

    Example:
        q = tl.div_rn(x, y)
    """


@div_rn.emit
def _emit_div_rn(e: Emitter, x: tensor, y: tensor) -> Any:
    return e.create("tt.precise_divf", x, y)


@div_rn.reference
def _reference_div_rn(x: Array, y: Array) -> Any:
    return x / y


def _fdiv_operands(mode: Mode, x: Any, y: Any, ieee_rounding: Any, approx: Any) -> tuple[Any, ...]:
    x, y = promote(mode, "fdiv", x, y, division=True)
    exact, rough = bool(unwrap(ieee_rounding)), bool(unwrap(approx))
    expects(x.dtype.is_floating(), f"'fdiv' expects floats, got {x.dtype}", hint="use / or // on integers")
    expects(not (exact and rough), "'fdiv' expects ieee_rounding or approx, got both")
    expects(not rough or x.dtype.is_fp32(), f"'fdiv' with approx expects fp32, got {x.dtype}")
    return x, y, exact, rough


@op(operands=_fdiv_operands)
def fdiv(x: tensor, y: tensor, ieee_rounding: bool = False, approx: bool = False) -> tensor:
    """The quotient ``x / y`` of floats.

    Args:
        x: Floats.
        y: Floats.
        ieee_rounding: Correctly rounded on a GPU, too, whose float32 is otherwise within two units in the last place.
            On a CPU every quotient is correctly rounded unless it is approximate.
        approx: Within two units in the last place, for float32: a CPU multiplies by the reciprocal of a loop-invariant
            divisor, and a GPU uses its fastest instruction.

    Raises:
        TypeMismatchError: Both operands are integers, or both ``ieee_rounding`` and ``approx`` are set.

    Example:
        p = tl.fdiv(numerator, total)
    """


@fdiv.emit
def _emit_fdiv(e: Emitter, x: tensor, y: tensor, ieee_rounding: bool, approx: bool) -> Any:
    # Quotients of doubles are always rounded correctly, and Triton 3.6 has no precise op for them.
    exact = ieee_rounding and not x.dtype.is_fp64()
    return e.create("tt.precise_divf" if exact else "tt.approx_divf" if approx else "arith.divf", x, y)


@fdiv.reference
def _reference_fdiv(x: Array, y: Array, ieee_rounding: bool, approx: bool) -> Any:
    return x / y


def _fma_operands(mode: Mode, x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    operands = ternary("fma")(mode, x, y, z)
    kind = operands[0].dtype
    expects(kind.is_floating(), f"'fma' expects floats, got {kind}", hint="use x * y + z on integers")
    return operands


@op(operands=_fma_operands)
def fma(x: tensor, y: tensor, z: tensor) -> tensor:
    """The sum ``x * y + z`` of floats with a single rounding.

    Raises:
        TypeMismatchError: The operands are integers.

    Example:
        y = tl.fma(weight, x, bias)
    """


@fma.emit
def _emit_fma(e: Emitter, x: tensor, y: tensor, z: tensor) -> Any:
    return e.create("math.fma", x, y, z)


@fma.reference
def _reference_fma(e: Any, x: tensor, y: tensor, z: tensor) -> tensor:
    factors = (x.handle, y.handle, z.handle)
    exact = _exact_fma(*factors) if x.handle.dtype == np.float64 else _odd_fma(*(a.astype(np.float64) for a in factors))
    return tensor(fit(exact, x.type.scalar), x.type)


def _odd_fma(x: Array, y: Array, z: Array) -> Array:
    """Computes x * y + z in float64 rounded to odd, for types with exact products in float64. A second rounding to the
    type then gives the correctly rounded result (Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded
    sums: proved algorithms using rounding to odd")."""
    product = x * y
    near = product + z
    back = near - product
    missing = (product - (near - back)) + (z - back)
    bits = near.view(np.int64)
    step = np.where((missing > 0) == (near > 0), 1, -1)
    return np.where((np.abs(missing) > 0) & (bits & 1 == 0), bits + step, bits).view(np.float64)


def _fma_of_doubles(x: float, y: float, z: float) -> float:
    if not (host.isfinite(x) and host.isfinite(y)):
        return x * y + z
    if not host.isfinite(z):
        return z  # Independent of the product.
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return float(exact) if exact else x * y + z
    except OverflowError:
        return host.inf if exact > 0 else -host.inf


_exact_fma = np.vectorize(_fma_of_doubles, otypes=[np.float64])


def _umulhi_operands(mode: Mode, x: Any, y: Any) -> tuple[Any, ...]:
    operands = arithmetic("umulhi")(mode, x, y)
    only("umulhi", operands[0], ("int32", "int64", "uint32", "uint64"))
    return operands


@op(operands=_umulhi_operands)
def umulhi(x: tensor, y: tensor) -> tensor:
    """The upper half of the product of two 32-bit or 64-bit integers, taken as unsigned.

    Raises:
        TypeMismatchError: The operands have another width, or are floats.

    Example:
        high = tl.umulhi(a, b)
    """


@umulhi.emit
def _emit_umulhi(e: Emitter, x: tensor, y: tensor) -> Any:
    return e.create("tt.mulhiui", x, y)


@umulhi.reference
def _reference_umulhi(x: Array, y: Array) -> Any:
    unsigned = np.dtype(f"u{x.dtype.itemsize}").type
    half, mask = unsigned(x.dtype.itemsize * 4), unsigned((1 << x.dtype.itemsize * 4) - 1)
    a, b = x.astype(unsigned), y.astype(unsigned)
    # Schoolbook multiplication with halves as digits, so that no sum overflows.
    low = (a >> half) * (b & mask) + ((a & mask) * (b & mask) >> half)
    high = (a & mask) * (b >> half) + (low & mask)
    return ((a >> half) * (b >> half) + (low >> half) + (high >> half)).astype(x.dtype)


@library(method=True)
def sigmoid(x: Any) -> Any:
    """The logistic function ``1 / (1 + exp(-x))`` of float32 or float64.

    Example:
        y = x * tl.sigmoid(x)
    """
    return 1 / (1 + exp(-x))


@library(method=True)
def cdiv(x: Any, div: Any) -> Any:
    """The integer quotient rounded up: ``(x + div - 1) // div``.

    Example:
        blocks = tl.cdiv(n, BLOCK)
    """
    return (x + (div - 1)) // div
