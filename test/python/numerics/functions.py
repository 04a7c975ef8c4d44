"""The functions whose accuracy is measured: how each is written in MLIR, what it is held to, and where it is looked at.

Bounds are in ulp of the result type; `docs/accuracy.md` is written from what is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np
import torch

Array = np.ndarray
Reference = Callable[..., Array]


@dataclass(frozen=True)
class Function:
    """`op` is an op of the math dialect or the name behind `__nv_`; `domain` bounds random inputs, magnitudes spread by exponent."""

    name: str
    reference: Reference
    domain: tuple[float, float]
    bound32: float
    bound64: float
    arity: int = 1
    op: str = ""

    def line(self, operands: list[str], lanes: int, dtype: str) -> str:
        """The operation on vectors in MLIR."""
        vector = f"vector<{lanes}x{dtype}>"
        if self.op:
            return f"{self.op} {', '.join(operands)} : {vector}"
        symbol = f"__nv_{self.name}" + ("" if dtype == "f64" else "f")
        types = ", ".join([vector] * self.arity)
        return (
            f'tt.extern_elementwise {", ".join(operands)} {{libname = "", libpath = "", pure = true, '
            f'symbol = "{symbol}"}} : ({types}) -> {vector}'
        )


def by_torch(function: Callable[[torch.Tensor], torch.Tensor]) -> Reference:
    """A function that numpy lacks, in f64."""
    return lambda x: function(torch.from_numpy(np.asarray(x, np.float64))).numpy()


def by_mpmath(function: Callable[[mpmath.mpf], mpmath.mpf]) -> Reference:
    """One number at a time, as exactly as wanted."""

    def reference(x: Array) -> Array:
        with mpmath.workprec(120):
            values = [function(mpmath.mpf(float(v))) for v in x]
            return np.array([np.longdouble(mpmath.nstr(v, 25)) for v in values])

    return reference


def cube_root(x: Array) -> Array:
    return np.cbrt(x)


EVERYWHERE = (-3e38, 3e38)
FUNCTIONS = [
    Function("exp", np.exp, (-110, 95), 1.1, 1.1, op="math.exp"),
    Function("exp2", np.exp2, (-155, 130), 1.1, 1.1, op="math.exp2"),
    Function("exp10", lambda x: np.power(x.dtype.type(10), x), (-47, 40), 1.6, 1.6),
    Function("expm1", np.expm1, (-120, 95), 1.6, 1.6, op="math.expm1"),
    Function("log", np.log, (0, 3e38), 1.1, 1.1, op="math.log"),
    Function("log2", np.log2, (0, 3e38), 1.3, 1.3, op="math.log2"),
    Function("log10", np.log10, (0, 3e38), 1.3, 1.3, op="math.log10"),
    Function("log1p", np.log1p, (-1, 3e38), 1.6, 1.6, op="math.log1p"),
    Function("sin", np.sin, EVERYWHERE, 1.6, 1.6, op="math.sin"),
    Function("cos", np.cos, EVERYWHERE, 1.6, 1.6, op="math.cos"),
    Function("tan", np.tan, EVERYWHERE, 3.0, 3.0, op="math.tan"),
    Function("asin", np.arcsin, (-1, 1), 2.0, 2.0, op="math.asin"),
    Function("acos", np.arccos, (-1, 1), 2.0, 2.0, op="math.acos"),
    Function("atan", np.arctan, EVERYWHERE, 2.0, 2.0, op="math.atan"),
    Function("atan2", np.arctan2, EVERYWHERE, 2.5, 2.5, arity=2, op="math.atan2"),
    Function("sinh", np.sinh, (-92, 92), 2.0, 2.0, op="math.sinh"),
    Function("cosh", np.cosh, (-92, 92), 2.0, 2.0, op="math.cosh"),
    Function("tanh", np.tanh, (-15, 15), 2.0, 2.0, op="math.tanh"),
    Function("asinh", np.arcsinh, EVERYWHERE, 3.0, 3.5, op="math.asinh"),
    Function("acosh", np.arccosh, (1, 3e38), 3.0, 3.0, op="math.acosh"),
    Function("atanh", np.arctanh, (-1, 1), 3.0, 3.0, op="math.atanh"),
    Function("erf", by_torch(torch.erf), (-6, 6), 2.0, 2.0, op="math.erf"),
    Function("erfc", by_torch(torch.erfc), (-6, 10.5), 4.0, 6.0, op="math.erfc"),
    Function("erfinv", by_mpmath(mpmath.erfinv), (-1, 1), 1.0, 8.0),
    Function("erfcinv", by_mpmath(lambda x: mpmath.erfinv(1 - x)), (1e-25, 2), 1.0, 8.0),
    Function("lgamma", by_mpmath(lambda x: mpmath.log(abs(mpmath.gamma(x)))), (0.1, 30), 6.0, 6.0),
    Function("tgamma", by_mpmath(mpmath.gamma), (-10.2, 30), 6.0, 6.0),
    Function("cyl_bessel_i0", by_mpmath(lambda x: mpmath.besseli(0, x)), (-85, 85), 1.0, 6.0),
    Function("cyl_bessel_i1", by_mpmath(lambda x: mpmath.besseli(1, x)), (-85, 85), 1.0, 6.0),
    Function("pow", np.power, (0, 60), 1.0, 1.0, arity=2, op="math.powf"),
    Function("cbrt", cube_root, EVERYWHERE, 1.0, 1.0, op="math.cbrt"),
    Function("hypot", np.hypot, EVERYWHERE, 1.0, 1.0, arity=2),
    Function("sqrt", np.sqrt, (0, 3e38), 0.51, 0.51, op="math.sqrt"),
    Function("rsqrt", lambda x: 1 / np.sqrt(x), (0, 3e38), 1.1, 1.1, op="math.rsqrt"),
    Function("fmod", np.fmod, EVERYWHERE, 0.0, 0.0, arity=2, op="arith.remf"),
    Function("sinpi", by_mpmath(mpmath.sinpi), (-1e6, 1e6), 2.0, 2.0),
    Function("cospi", by_mpmath(mpmath.cospi), (-1e6, 1e6), 2.0, 2.0),
]
