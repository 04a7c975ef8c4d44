"""Floats to integers: toward zero, the nearest integer where there is none, zero for NaN. Every pair of types."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from blockdsl.language import numerics, types
from numerics.stretch import HOST, PORTABLE, Kernels, elementwise_kernel

LANES = 16
FLOATS = {
    "f64": types.float64, "f32": types.float32, "f16": types.float16, "bf16": types.bfloat16,
    "f8E5M2": types.float8e5, "f8E4M3FN": types.float8e4nv,
    "f8E4M3FNUZ": types.float8e4b8, "f8E5M2FNUZ": types.float8e5b16,
}  # fmt: skip
WIDTHS = [8, 16, 32, 64]


def kernel(name: str, width: int, sign: str) -> str:
    body = f"%y = arith.fpto{sign}i %x0 : vector<{LANES}x{name}> to vector<{LANES}xi{width}>"
    return elementwise_kernel(f"{name}_{sign}{width}", [name], f"i{width}", LANES, body)


@pytest.fixture(scope="module", params=[HOST, PORTABLE], ids=["host", "portable"])
def kernels(request):
    return Kernels([kernel(n, w, s) for n in FLOATS for w in WIDTHS for s in "su"], request.param)


def numbers() -> np.ndarray:
    """Numbers near every bound, in f64; special values; and some of all magnitudes."""
    bounds = [sign * 2.0**bits for bits in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)]
    near = [np.nextafter(np.float32(b), np.float32(to)) for b in bounds for to in (0, 1e30)]
    fine = [np.nextafter(b, to) for b in bounds for to in (0, 1e30)]
    about = [b + d for b in bounds for d in (-1, -0.5, 0.5, 1)]
    special = [math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 0.5, -0.5, -0.999, 5e-324, 1e308, -1e308]
    random = np.random.default_rng(0)
    others = random.standard_normal(800) * 2.0 ** random.integers(-3, 70, 800)
    return np.resize(np.array([*bounds, *near, *fine, *about, *special, *others], np.float64), 1024)


def truth(values: np.ndarray, width: int, sign: str) -> list[int]:
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if sign == "s" else (0, 2**width - 1)
    result = []
    for value in values.tolist():
        if math.isnan(value):
            result.append(0)
        else:
            result.append(low if value < low else high if value > high else math.trunc(Fraction(value)))
    return result


@pytest.mark.parametrize("sign", ["s", "u"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", FLOATS)
def test_floats_to_integers(kernels, name, width, sign):
    kind = FLOATS[name]
    with np.errstate(over="ignore"):
        values = numerics.fit(numbers(), kind)
    stored = np.ascontiguousarray(numerics.store(values, kind))
    dtype = np.dtype(f"{'u' if sign == 'u' else ''}int{width}")
    got = kernels.run(f"{name}_{sign}{width}", [stored], np.empty(stored.size, dtype))
    # Reads the stored values: not every type has infinities.
    values = numerics.load(stored, kind)
    assert got.tolist() == truth(values, width, sign)
    target = getattr(types, dtype.name)
    assert numerics.to_integer(values, target).tolist() == truth(values, width, sign)
