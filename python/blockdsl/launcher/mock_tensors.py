"""Mock tensors for kernels that are only compiled: an element type of torch, or Triton's ``MockTensor``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


class MockTensor:
    """A tensor without elements, for ``kernel.warmup``: its address is a multiple of 16.

    Args:
        dtype: An element type of torch.
        shape: The shape for ``stride``; no kernel depends on it.

    Example:
        double.warmup(MockTensor(torch.float16), 1024, BLOCK=1024, target="cuda:90")
    """

    def __init__(self, dtype: Any, shape: Sequence[int] | None = None) -> None:
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    def stride(self) -> tuple[int, ...]:
        """Returns the strides of a contiguous tensor of this shape, in elements."""
        strides = [1]
        for size in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * size)
        return tuple(strides)

    @staticmethod
    def data_ptr() -> int:
        """Returns 0, as it has no memory."""
        return 0

    @staticmethod
    def ptr_range() -> int:
        """Returns the size of its memory, which is 0."""
        return 0

    @staticmethod
    def wrap_dtype(arg: Any) -> Any:
        """Returns a ``MockTensor`` for an element type of torch; anything else unchanged."""
        is_type = type(arg).__name__ == "dtype" and type(arg).__module__ == "torch"
        return MockTensor(arg) if is_type else arg


def resolve_mock(value: object) -> object:
    """Returns an empty tensor for a placeholder, also inside tuples; anything else unchanged."""
    if isinstance(value, tuple):
        items = tuple(resolve_mock(item) for item in value)
        named: Any = type(value)
        return named(*items) if hasattr(value, "_fields") else items
    name = type(value).__name__
    if name == "MockTensor":
        # Triton's class.
        value = getattr(value, "dtype", value)
    elif name != "dtype":
        return value
    if type(value).__module__ != "torch":
        return value
    # A value of such a type implies that torch is imported already.
    return sys.modules["torch"].empty(0, dtype=value)
