"""Functions with tested accuracy: their spelling, reference, domain, and bound in ulp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import torch

from numerics.stretch import elementwise_kernel

Array = np.ndarray[Any, Any]
Reference = Callable[..., Array]

LANES = {"f32": 16, "f64": 8}


@dataclass(frozen=True)
class Function:
    """`op` is an op's name, or empty for the symbol `__nv_<name>`; `slow` references are evaluated at few numbers."""

    name: str
    reference: Reference
    domain: tuple[float, float]
    bound32: float
    bound64: float
    arity: int = 1
    op: str = ""
    slow: bool = False

    def bound(self, dtype: str) -> float:
        return self.bound32 if dtype == "f32" else self.bound64

    def domain_of(self, dtype: str) -> tuple[float, float]:
        """A domain of all f32 numbers is one of all f64 numbers."""
        low, high = self.domain
        scale = 5e269 if dtype == "f64" and high == ANY else 1.0
        return (low * scale if low == -ANY else low, high * scale)

    def kernel(self, dtype: str, lanes: int = 0) -> str:
        """Returns the function of arrays, computed on vectors."""
        lanes = lanes or LANES[dtype]
        name = f"{self.name}_{dtype}"
        return elementwise_kernel(
            name, [dtype] * self.arity, dtype, lanes, self._line(f"vector<{lanes}x{dtype}>", dtype)
        )

    def _line(self, vector: str, dtype: str) -> str:
        operands = ", ".join(f"%x{i}" for i in range(self.arity))
        if self.op:
            return f"%y = {self.op} {operands} : {vector}"
        symbol = f"__nv_{self.name}" + ("" if dtype == "f64" else "f")
        types = ", ".join([vector] * self.arity)
        attributes = f'{{libname = "", libpath = "", pure = true, symbol = "{symbol}"}}'
        return f"%y = tt.extern_elementwise {operands} {attributes} : ({types}) -> {vector}"


def by_torch(function: Callable[[torch.Tensor], torch.Tensor]) -> Reference:
    """Returns a reference in f64, for functions that NumPy lacks."""
    return lambda x: function(torch.from_numpy(np.asarray(x, np.float64))).numpy()


def by_mpmath(function: Callable[[Any], Any]) -> Reference:
    """Returns a reference that evaluates one number at a time, as accurately as necessary; NaN where undefined."""

    def value(x: float) -> np.longdouble:
        if not np.isfinite(x):
            return np.longdouble(np.nan)
        try:
            with mpmath.workprec(200):
                return np.longdouble(mpmath.nstr(mpmath.re(function(mpmath.mpf(x))), 25))
        except (ValueError, ZeroDivisionError):
            return np.longdouble(np.nan)

    return lambda x: np.array([value(float(v)) for v in x])


ANY = 3e38
ALL = (-ANY, ANY)

FUNCTIONS = [
    Function("exp", np.exp, (-110, 95), 0.9, 0.9, op="math.exp"),
    Function("exp2", np.exp2, (-155, 130), 1.1, 1.9, op="math.exp2"),
    Function("exp10", lambda x: np.power(x.dtype.type(10), x), (-47, 40), 1.3, 1.3),
    Function("expm1", np.expm1, (-120, 95), 1.6, 2.2, op="math.expm1"),
    Function("log", np.log, ALL, 0.9, 0.9, op="math.log"),
    Function("log2", np.log2, ALL, 1.1, 1.1, op="math.log2"),
    Function("log10", np.log10, ALL, 1.0, 1.0, op="math.log10"),
    Function("log1p", np.log1p, (-1, ANY), 1.6, 1.6, op="math.log1p"),
    Function("sin", np.sin, ALL, 1.6, 1.7, op="math.sin"),
    Function("cos", np.cos, ALL, 1.6, 1.7, op="math.cos"),
    Function("tan", np.tan, ALL, 3.4, 3.4, op="math.tan"),
    Function("sinpi", by_mpmath(mpmath.sinpi), (-1e6, 1e6), 1.6, 1.7, slow=True),
    Function("cospi", by_mpmath(mpmath.cospi), (-1e6, 1e6), 1.6, 1.7, slow=True),
    Function("asin", np.arcsin, (-1, 1), 2.5, 2.5, op="math.asin"),
    Function("acos", np.arccos, (-1, 1), 1.4, 1.4, op="math.acos"),
    Function("atan", np.arctan, ALL, 2.3, 2.4, op="math.atan"),
    Function("atan2", np.arctan2, ALL, 2.5, 2.5, arity=2, op="math.atan2"),
    Function("sinh", np.sinh, (-92, 92), 1.8, 1.8, op="math.sinh"),
    Function("cosh", np.cosh, (-92, 92), 1.5, 1.5, op="math.cosh"),
    Function("tanh", np.tanh, (-15, 15), 1.5, 1.6, op="math.tanh"),
    Function("asinh", np.arcsinh, ALL, 1.9, 2.0, op="math.asinh"),
    Function("acosh", np.arccosh, ALL, 2.2, 2.3, op="math.acosh"),
    Function("atanh", np.arctanh, (-1, 1), 2.3, 2.3, op="math.atanh"),
    Function("erf", by_torch(torch.erf), (-6, 6), 1.8, 2.0, op="math.erf"),
    Function("erfc", by_torch(torch.erfc), (-6, 10.5), 4.5, 5.0, op="math.erfc"),
    Function("erfinv", by_mpmath(mpmath.erfinv), (-1, 1), 0.6, 8.0, slow=True),
    Function("erfcinv", by_mpmath(lambda x: mpmath.erfinv(1 - x)), (1e-25, 2), 0.6, 8.0, slow=True),
    Function("lgamma", by_mpmath(lambda x: mpmath.log(abs(mpmath.gamma(x)))), (0.1, 30), 4.0, 4.0, slow=True),
    Function("tgamma", by_mpmath(mpmath.gamma), (0.1, 30), 6.0, 6.0, slow=True),
    Function("cyl_bessel_i0", by_mpmath(lambda x: mpmath.besseli(0, x)), (-85, 85), 0.6, 6.0, slow=True),
    Function("cyl_bessel_i1", by_mpmath(lambda x: mpmath.besseli(1, x)), (-85, 85), 0.6, 10.0, slow=True),
    Function("pow", np.power, (0, 60), 0.6, 1.0, arity=2, op="math.powf"),
    Function("cbrt", np.cbrt, ALL, 0.6, 3.7, op="math.cbrt"),
    Function("hypot", np.hypot, ALL, 0.6, 1.0, arity=2),
    Function("sqrt", np.sqrt, ALL, 0.501, 0.501, op="math.sqrt"),
    Function("rsqrt", lambda x: 1 / np.sqrt(x), ALL, 1.6, 1.6, op="math.rsqrt"),
    Function("fmod", np.fmod, ALL, 0.0, 0.0, arity=2, op="arith.remf"),
]
