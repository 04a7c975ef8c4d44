"""Fields of torch tensors that DLPack does not describe: dispatch keys and the bounds of the storage.

The launcher reads them for every tensor of every launch. Torch's Python API takes three microseconds per tensor, and
torch exports no stable C function for them, so the launcher reads torch's C++ objects at offsets that are measured in
the running process: an offset is valid only if it is the only one at which several different tensors hold the values
that torch reports in Python. If an offset cannot be measured, the launcher calls ``of`` for each tensor.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from typing import Any

Fields = tuple[int, int, int]
"""Dispatch keys as bits, address of the storage, and its size in bytes: -1 for a tensor without storage."""

Layout = tuple[int, int, int, int, int]
"""Byte offsets of the TensorImpl in the Python object, keys and storage in the TensorImpl, address and size in the
storage."""

_TENSOR_BYTES, _STORAGE_BYTES = 192, 64
"""Bytes searched in an object; no C++ tensor and no storage is smaller."""


def of(tensor: Any) -> Fields:
    """Returns the fields of one tensor, as torch reports them."""
    torch = sys.modules["torch"]
    keys: int = torch._C._dispatch_keys(tensor).raw_repr()
    try:
        with torch._C.DisableTorchFunctionSubclass():
            storage = tensor.untyped_storage()
            return keys, storage.data_ptr(), storage.nbytes()
    except RuntimeError:  # For example a sparse tensor; includes NotImplementedError.
        return keys, 0, -1


def increment_version(value: Any) -> None:
    """Increments the version counter of a tensor that was stored through, if the value has one."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        torch._C._increment_version((value,))


def masks() -> tuple[int, int]:
    """Returns the dispatch keys of tensors whose elements are negated, and of tensors with a version counter."""
    torch = sys.modules["torch"]
    key = torch._C.DispatchKey
    negative, counted = (torch._C.DispatchKeySet(each).raw_repr() for each in (key.Negative, key.ADInplaceOrView))
    return negative, counted


def layout() -> Layout | tuple[()] | None:
    """Measures the offsets. Returns an empty tuple if they are ambiguous, and None while a mode or a transformation of
    torch is active."""
    torch = sys.modules["torch"]
    if torch._C._len_torch_dispatch_stack() or torch._C._functorch.peek_interpreter_stack() is not None:
        return None
    with torch._C.DisableTorchFunction():
        tensors = [
            torch.empty(3, dtype=torch.float32, device="cpu"),
            torch._neg_view(torch.empty(5, dtype=torch.float32, device="cpu")),
            # The data pointer of this storage differs from the context that frees it.
            torch.frombuffer(bytearray(56), dtype=torch.int64),
        ]
        storages = [tensor.untyped_storage() for tensor in tensors]
        fields = [of(tensor) for tensor in tensors]
    impls, handles = [tensor._cdata for tensor in tensors], [storage._cdata for storage in storages]
    keys, addresses, sizes = zip(*fields, strict=True)
    found = (
        _offset(list(map(id, tensors)), impls, torch.Tensor.__basicsize__),
        _offset(impls, keys, _TENSOR_BYTES),
        _offset(impls, handles, _TENSOR_BYTES),
        _offset(handles, addresses, _STORAGE_BYTES),
        _offset(handles, sizes, _STORAGE_BYTES),
    )
    return () if -1 in found else found


def _offset(objects: Sequence[int], values: Sequence[int], size: int) -> int:
    """Returns the multiple of 8 below ``size`` at which each object holds its value; -1 unless there is exactly one."""
    pairs = list(zip(objects, values, strict=True))
    found = [
        at for at in range(0, size, 8)
        if all(ctypes.c_uint64.from_address(each + at).value == value for each, value in pairs)
    ]  # fmt: skip
    return found[0] if len(found) == 1 else -1
