"""Tensors reinterpreted with another element type: ``reinterpret``."""

from __future__ import annotations

from typing import Any


class TensorWrapper:
    """The memory of a tensor with another element type.

    Attributes:
        base: The tensor.
        dtype: The element type.
        data: The same as ``base``.
        device: The tensor's device.
        shape: The tensor's shape.
    """

    def __init__(self, base: Any, dtype: Any) -> None:
        self.base = self.data = base
        self.dtype = dtype
        self.is_cuda = getattr(base, "is_cuda", False)
        self.device = base.device
        self.shape = base.shape

    def data_ptr(self) -> int:
        return int(self.base.data_ptr())

    def stride(self, *args: Any) -> Any:
        return self.base.stride(*args)

    def element_size(self) -> int:
        return int(self.base.element_size())

    def cpu(self) -> TensorWrapper:
        return TensorWrapper(self.base.cpu(), self.dtype)

    def clone(self) -> TensorWrapper:
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device: Any) -> TensorWrapper:
        return TensorWrapper(self.base.to(device), self.dtype)

    def copy_(self, other: TensorWrapper) -> None:
        self.base.copy_(other.base)

    def new_empty(self, sizes: Any) -> TensorWrapper:
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self) -> str:
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """Returns a tensor's memory with another element type.

    Args:
        tensor: A tensor of torch, or a result of this function.
        dtype: A type of the language, such as ``tl.float8e5``, or of torch.

    Example:
        kernel[grid](reinterpret(bytes, tl.float8e5))
    """
    base = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    return base if base.dtype == dtype else TensorWrapper(base, dtype)
