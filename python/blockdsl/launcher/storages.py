"""The memory behind a launch's arguments: storages of tensors, owners of arrays.

A kernel may access elements outside of a view, so an access is an error only outside of the storage.
"""

from __future__ import annotations

import array
import sys
from typing import Any

from blockdsl.errors.program_errors import Memory


def memory_behind(value: Any) -> Memory | None:
    """Returns the memory that an argument is a view of; None if its library does not provide it."""
    if hasattr(value, "block_shape") or type(value).__name__ == "TensorWrapper":
        # A descriptor, or a tensor reinterpreted with another element type.
        value = getattr(value, "base", None)
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.Tensor):
        return _of_tensor(value)
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _of_array(value, numpy)
    if isinstance(value, memoryview):
        return memory_behind(value.obj)
    return _of_owner(value) if isinstance(value, (bytearray, array.array)) else None


def _of_tensor(tensor: Any) -> Memory | None:
    try:
        storage = tensor.untyped_storage()
        begin, size = storage.data_ptr(), storage.nbytes()
    except (AttributeError, NotImplementedError, RuntimeError):
        # A subclass need not have a storage.
        return None
    return begin, begin + size


def _of_array(value: Any, numpy: Any) -> Memory | None:
    while isinstance(value.base, numpy.ndarray):
        value = value.base
    if value.base is not None:
        return memory_behind(value.base)
    begin: int = value.__array_interface__["data"][0]
    return begin, begin + value.nbytes


def _of_owner(value: Any) -> Memory:
    import numpy

    bytes_of = numpy.frombuffer(value, numpy.uint8) if len(value) else numpy.empty(0, numpy.uint8)
    begin: int = bytes_of.__array_interface__["data"][0]
    return begin, begin + bytes_of.nbytes
