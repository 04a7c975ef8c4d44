"""Comparison of functions that launch kernels with their graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.testing import assert_close


def check(function: Callable[[torch.Tensor], Any], backend: str) -> None:
    """Compares a graph's result, and its change of the argument, with those of the function."""
    compiled = torch.compile(function, backend=backend, fullgraph=True)
    # The second size makes the shapes dynamic.
    for size in (20, 33):
        x = torch.randn(size)
        here, there = x.clone(), x.clone()
        assert_close(compiled(here), function(there))
        assert_close(here, there)
