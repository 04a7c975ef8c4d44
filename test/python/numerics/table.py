"""Writes docs/accuracy.md from measurements of every function on this machine.

Run it from the root: ``PYTHONPATH=python:test/python .venv/bin/python -m numerics.table``.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from numerics.functions import FUNCTIONS, Function
from numerics.stretch import HOST, PORTABLE, Kernels
from numerics.test_accuracy import TYPES, worst

PAGE = Path(__file__).resolve().parents[3] / "docs" / "accuracy.md"
INTRODUCTION = """# How exact the functions are

The largest error that was found, in units of the last place (ulp), against a reference with more digits: on numbers of
all magnitudes, at the ends of the domain, and on zeros, infinities, NaN and denormals. `test/python/numerics` holds
every function to a bound, by the formulas for this CPU and by those for a generic CPU. The rate is that of one core
with 8192 numbers in cache, within the middle of the domain. f16 and bf16 are computed in f32 and rounded once.

Quotients and square roots are correctly rounded (0.5 ulp) in every type, whether the divisor is a block, a number or a
constant. Only `tl.fdiv(x, y, approx=True)` may be off, by up to 2 ulp. Sums, differences and products are correctly
rounded, too, but a product and a sum may become one operation, which rounds once (`enable_fp_fusion`).

The gamma functions, and pow, cbrt, hypot and fmod of f64, have no vector form: libm is called for each lane.

"""


def rate(kernels: Kernels, function: Function, dtype: str) -> float:
    """10^9 elements a second."""
    low, high = max(function.domain[0], -20.0), min(function.domain[1], 20.0)
    random = np.random.default_rng(1)
    arrays = [random.uniform(low, high, 8192).astype(TYPES[dtype]) for _ in range(function.arity)]
    out = np.empty(8192, TYPES[dtype])
    best = float("inf")
    for _ in range(7):
        start = time.thread_time()
        kernels.run(f"{function.name}_{dtype}", arrays, out, programs=20)
        best = min(best, time.thread_time() - start)
    return 20 * 8192 / best / 1e9


def main() -> None:
    bodies = [function.kernel(dtype) for function in FUNCTIONS for dtype in TYPES]
    kernels, portable = Kernels(bodies, HOST), Kernels(bodies, PORTABLE)
    lines = ["| function | f32: ulp | Gelem/s | f64: ulp | Gelem/s |", "|---|---|---|---|---|"]
    for function in FUNCTIONS:
        cells = [function.name]
        for dtype in TYPES:
            distance = max(worst(each, function, dtype)[0] for each in (kernels, portable))
            cells += [f"{distance:.2f}", f"{rate(kernels, function, dtype):.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    PAGE.write_text(INTRODUCTION + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
