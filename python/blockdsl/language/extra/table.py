"""Table of the libdevice functions that the compiler lowers: names, symbols and references."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from ..cast import cast
from ..extern import REFERENCES, extern_elementwise
from ..numerics import larger_number, smaller_number
from ..op import Op, op
from ..tensor import tensor
from ..types import dtype, float32, float64, int1, int32, int64

Reference = Callable[..., Any]

_libm = ctypes.CDLL(None)


def _each(function: Callable[..., float]) -> Reference:
    """Returns a function of Python floats vectorized for arrays."""
    return np.vectorize(function, otypes=[np.float64])


def _c(name: str) -> Reference:
    """Returns a function of the C library vectorized for arrays."""
    function = getattr(_libm, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    return _each(function)


def _guard(function: Callable[[float], float], low: float, high: float) -> Reference:
    """Returns a function with poles at the ends of its domain."""

    def value(x: float) -> float:
        if low < x < high:
            return function(x)
        return math.nan if not low <= x <= high else -math.inf if x == low else math.inf

    return _each(value)


def _modified_bessel(x: Any) -> Any:
    """Computes I1: by its series up to 2, then by the mean of exp(x cos t) cos t over a period, which is as exact."""
    x = np.asarray(x, np.float64)
    small, series = np.clip(x, -2, 2) / 2, 0.0
    for k in range(12, -1, -1):
        series = series * small**2 + 1 / (math.factorial(k) * math.factorial(k + 1))
    cosines = np.cos(2 * np.pi * np.arange(1024) / 1024)
    size = np.minimum(np.abs(x), 750.0)
    root = np.exp(size / 2)
    mean = np.mean(np.exp(size[..., None] * (cosines - 1)) * cosines, axis=-1) * root * root
    return np.where(np.abs(x) <= 2, small * series, np.copysign(np.where(np.isnan(x), x, mean), x))


def _of_order(name: str) -> Reference:
    """Returns a Bessel function of the C library, of a non-negative order and a number."""
    function = getattr(_libm, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_double]
    return np.vectorize(lambda n, x: function(int(n), float(x)) if n >= 0 else math.nan, otypes=[np.float64])


_quantile = NormalDist().inv_cdf
_round = _c("round")
_sqrt2 = math.sqrt(2.0)

# name: the function of one float, in float64.
_UNARY: dict[str, Reference] = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "cbrt": np.cbrt, "ceil": np.ceil, "cos": np.cos, "cosh": np.cosh,
    "cospi": lambda x: np.cos(np.pi * np.fmod(x, 2)), "erf": _each(math.erf), "erfc": _each(math.erfc),
    "erfinv": _guard(lambda x: _quantile((x + 1) / 2) / _sqrt2, -1, 1),
    "erfcinv": _guard(lambda x: -_quantile(x / 2) / _sqrt2, 0, 2), "exp": np.exp, "exp10": lambda x: 10.0**x,
    "exp2": np.exp2, "expm1": np.expm1, "fabs": np.abs, "floor": np.floor, "cyl_bessel_i0": np.i0,
    "cyl_bessel_i1": _modified_bessel,
    "j0": _c("j0"), "j1": _c("j1"), "y0": _c("y0"), "y1": _c("y1"), "lgamma": _c("lgamma"), "tgamma": _c("tgamma"),
    "log": np.log, "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "logb": _c("logb"), "nearbyint": np.rint,
    "normcdf": _each(lambda x: 0.5 * math.erfc(-x / _sqrt2)), "normcdfinv": _guard(_quantile, 0, 1),
    "rcbrt": lambda x: 1 / np.cbrt(x), "rint": np.rint, "round": _round, "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin, "sinh": np.sinh, "sinpi": lambda x: np.sin(np.pi * np.fmod(x, 2)), "sqrt": np.sqrt,
    "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc,
}  # fmt: skip

_BINARY: dict[str, Reference] = {
    "atan2": np.arctan2, "copysign": np.copysign,
    "fdim": lambda x, y: np.where(x > y, x - y, np.where(x <= y, 0.0, x + y)),
    "fmax": larger_number, "fmin": smaller_number, "fmod": np.fmod, "hypot": np.hypot,
    "nextafter": np.nextafter, "pow": np.power,
    "remainder": _each(lambda x, y: math.remainder(x, y) if y and math.isfinite(x) else math.nan),
}  # fmt: skip

# name: (symbol for float32, symbol for float64, function), if the symbols do not follow the pattern.
_ROUNDED: dict[str, tuple[str, str, Reference]] = {
    "add_rn": ("__nv_fadd_rn", "__nv_dadd_rn", np.add), "sub_rn": ("__nv_fsub_rn", "__nv_dsub_rn", np.subtract),
    "mul_rn": ("__nv_fmul_rn", "__nv_dmul_rn", np.multiply), "div_rn": ("__nv_fdiv_rn", "__nv_ddiv_rn", np.divide),
}  # fmt: skip
_TESTS: dict[str, tuple[str, str, Reference]] = {
    "isnan": ("__nv_isnanf", "__nv_isnand", np.isnan), "isinf": ("__nv_isinff", "__nv_isinfd", np.isinf),
    "signbit": ("__nv_signbitf", "__nv_signbitd", np.signbit),
}  # fmt: skip
_FAST: dict[str, Reference] = {
    "fast_expf": np.exp, "fast_exp10f": lambda x: 10.0**x, "fast_sinf": np.sin, "fast_cosf": np.cos,
    "fast_tanf": np.tan, "fast_logf": np.log, "fast_log2f": np.log2, "fast_log10f": np.log10,
}  # fmt: skip


def _declare(
    name: str, symbols: dict[tuple[dtype, ...], tuple[str, dtype]], meaning: str, result: dtype | None = None
) -> Op:
    """Declares one function of the table as an op that the emitter turns into ``extern_elementwise``."""

    def declared(*args: tensor) -> tensor:
        raise NotImplementedError  # The decorator replaces the body.

    types = " or ".join("(" + ", ".join(map(str, each)) + ")" for each in symbols)
    declared.__name__ = f"libdevice.{name}"
    declared.__doc__ = f"""{meaning}, element by element.

    Args:
        args: Blocks, scalars or Python numbers of types {types}.

    Raises:
        TypeMismatchError: There is no such function for the arguments' types.

    Example:
        y = libdevice.{name}({", ".join("xyz"[: len(next(iter(symbols)))])})
    """
    made = op()(declared)

    def facet(e: Any, args: tuple[Any, ...]) -> Any:
        value = e.run(extern_elementwise, ("", "", args, symbols, True), {})
        return value if result is None else e.run(cast, (value, result), {})

    made.emit(facet)
    made.reference(facet)
    return made


def _floats(name: str, single: str, double: str, arity: int, function: Reference) -> Op:
    REFERENCES[single] = REFERENCES[double] = _in_double(function)
    symbols = {(float32,) * arity: (single, float32), (float64,) * arity: (double, float64)}
    return _declare(name, symbols, f"libdevice's ``{name}``")


def _in_double(function: Reference) -> Reference:
    return lambda *arrays: np.asarray(function(*(array.astype(np.float64) for array in arrays)))


FUNCTIONS: dict[str, Op] = {}
for _name, _function in _UNARY.items():
    FUNCTIONS[_name] = _floats(_name, f"__nv_{_name}f", f"__nv_{_name}", 1, _function)
for _name, _function in _BINARY.items():
    FUNCTIONS[_name] = _floats(_name, f"__nv_{_name}f", f"__nv_{_name}", 2, _function)
for _name, (_single, _double, _function) in _ROUNDED.items():
    FUNCTIONS[_name] = _floats(_name, _single, _double, 2, _function)
# nextafter depends on the type.
REFERENCES["__nv_nextafterf"] = np.nextafter
FUNCTIONS["fma"] = _floats("fma", "__nv_fmaf", "__nv_fma", 3, lambda x, y, z: x * y + z)
for _name, _function in _FAST.items():
    REFERENCES[f"__nv_{_name}"] = _in_double(_function)
    FUNCTIONS[_name] = _declare(_name, {(float32,): (f"__nv_{_name}", float32)}, f"libdevice's ``{_name}``")
REFERENCES["__nv_fast_powf"] = _in_double(np.power)
FUNCTIONS["fast_powf"] = _declare("fast_powf", {(float32, float32): ("__nv_fast_powf", float32)}, "A fast power")
for _name, (_single, _double, _function) in _TESTS.items():
    REFERENCES[_single] = REFERENCES[_double] = _function
    FUNCTIONS[_name] = _declare(
        _name, {(float32,): (_single, int32), (float64,): (_double, int32)}, f"The bools ``{_name}(x)``", int1
    )
REFERENCES["__nv_finitef"] = REFERENCES["__nv_isfinited"] = np.isfinite
FUNCTIONS["finitef"] = _declare("finitef", {(float32,): ("__nv_finitef", int32)}, "Is a float32 finite?", int1)
FUNCTIONS["isfinited"] = _declare("isfinited", {(float64,): ("__nv_isfinited", int32)}, "Is a float64 finite?", int1)
REFERENCES["__nv_ldexpf"] = REFERENCES["__nv_ldexp"] = np.ldexp
FUNCTIONS["ldexp"] = _declare(
    "ldexp",
    {(float32, int32): ("__nv_ldexpf", float32), (float64, int32): ("__nv_ldexp", float64)},
    "A float times a power of two",
)
for _name in ("jn", "yn"):
    REFERENCES[f"__nv_{_name}f"] = REFERENCES[f"__nv_{_name}"] = _of_order(_name)
    FUNCTIONS[_name] = _declare(
        _name,
        {(int32, float32): (f"__nv_{_name}f", float32), (int32, float64): (f"__nv_{_name}", float64)},
        f"libdevice's ``{_name}``, of an order and a number",
    )
REFERENCES["__nv_powif"] = REFERENCES["__nv_powi"] = lambda x, n: np.power(x.astype(np.float64), n)
FUNCTIONS["pow"] = _declare(
    "pow",
    {
        (float32, float32): ("__nv_powf", float32),
        (float64, float64): ("__nv_pow", float64),
        (float32, int32): ("__nv_powif", float32),
        (float64, int32): ("__nv_powi", float64),
    },
    "libdevice's ``pow``",
)
REFERENCES["__nv_popc"] = np.vectorize(lambda x: bin(int(x) & 2**32 - 1).count("1"), otypes=[np.int32])
REFERENCES["__nv_popcll"] = np.vectorize(lambda x: bin(int(x) & 2**64 - 1).count("1"), otypes=[np.int32])
FUNCTIONS["popc"] = _declare(
    "popc", {(int32,): ("__nv_popc", int32), (int64,): ("__nv_popcll", int32)}, "How many bits are set"
)
