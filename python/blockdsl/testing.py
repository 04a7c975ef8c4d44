"""For tests and benchmarks of kernels; nothing in the package imports it."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Time of a call in milliseconds, as Triton's function of this name gives it.

    Args:
        fn: What to time.
        warmup: Milliseconds to spend before.
        rep: Milliseconds to spend.
        grad_to_none: Tensors whose gradients are dropped before every call.
        quantiles: Which quantiles to give, as a list, instead of one figure.
        return_mode: ``mean``, ``median``, ``min``, ``max`` or ``all``.

    Example:
        ms = blockdsl.testing.do_bench(lambda: add[grid](x, y, out, n, BLOCK=1024), return_mode="min")
    """
    reducers: dict[str, Callable[[list[float]], Any]] = {
        "mean": statistics.fmean, "median": statistics.median, "min": min, "max": max, "all": list,
    }  # fmt: skip
    if return_mode not in reducers:
        raise ValueError(f"return_mode is one of {', '.join(reducers)}, got {return_mode!r}")
    fn()
    single = _milliseconds(fn, 5)
    _milliseconds(fn, max(1, math.ceil(warmup / max(single, 1e-6) if single < warmup else 1)))
    # A call of a microsecond is timed in groups: the clock takes part of one itself.
    group = max(1, math.ceil(0.02 / max(single, 1e-6)))
    times = []
    for _ in range(max(1, int(rep / max(single * group, 1e-6)))):
        for tensor in grad_to_none or ():
            tensor.grad = None
        times.append(_milliseconds(fn, group))
    if quantiles is not None:
        found = [float(value) for value in np.quantile(times, quantiles)]
        return found[0] if len(found) == 1 else found
    return reducers[return_mode](times)


def _milliseconds(fn: Callable[[], object], count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        fn()
    return (time.perf_counter_ns() - start) / count / 1e6


def assert_close(actual: Any, expected: Any, atol: float = 1e-2, rtol: float = 0.0, err_msg: str = "") -> None:
    """Raises AssertionError with the largest difference unless two arrays or tensors are close.

    Example:
        blockdsl.testing.assert_close(out, x + y, atol=1e-6)
    """
    left, right = (np.asarray(_on_cpu(value), dtype=np.float64) for value in (actual, expected))
    np.testing.assert_allclose(left, right, atol=atol, rtol=rtol, err_msg=err_msg)


def _on_cpu(value: Any) -> Any:
    return value.detach().cpu().double().numpy() if hasattr(value, "detach") else value
