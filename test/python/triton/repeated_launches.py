"""Kernels that are launched repeatedly, and a counter of the launches that use Triton's binder."""

from __future__ import annotations

from typing import Any

import pytest
import triton
import triton.language as tl
from triton.runtime import jit


@triton.jit
def scale(x_ptr, out_ptr, n, factor=2, BLOCK: tl.constexpr = 64):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, factor * tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def checked(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.device_assert(tl.load(x_ptr + at, mask=at < n, other=0) >= 0, "x is negative")


class Binder:
    """Counts the calls of Triton's own launch, of kernels that are not launched yet."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *kernels: Any) -> None:
        self.times = 0
        for kernel in kernels:
            kernel.__dict__.pop("_shortcut", None)
        key = jit.compute_cache_key

        def counted(*args: Any) -> Any:
            self.times += 1
            return key(*args)

        monkeypatch.setattr(jit, "compute_cache_key", counted)
