"""Comparison of results within a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Tolerance = float | Callable[[Any], float] | None


def assert_close(x: Any, y: Any, atol: Tolerance = None, rtol: Tolerance = None, err_msg: str = "") -> None:
    """Raises AssertionError with the largest difference unless two arrays or tensors are close.

    Args:
        x: A tensor, an array, or a number.
        y: Another one.
        atol: The largest difference, or a function of the element type; 0.01 if absent.
        rtol: A further tolerance relative to ``y``, or a function of the element type; 0 if absent.
        err_msg: The beginning of the message.

    Example:
        blockdsl.testing.assert_close(out, x + y, atol=1e-6)
    """
    left, right = (np.asarray(_on_cpu(value), dtype=np.float64) for value in (x, y))
    dtype = getattr(x, "dtype", None)
    np.testing.assert_allclose(
        left, right, atol=_tolerance(atol, dtype, 1e-2), rtol=_tolerance(rtol, dtype, 0.0), err_msg=err_msg
    )


def _tolerance(given: Tolerance, dtype: object, default: float) -> float:
    if given is None:
        return default
    return given(dtype) if callable(given) else given


def _on_cpu(value: Any) -> Any:
    return value.detach().cpu().double().numpy() if hasattr(value, "detach") else value
