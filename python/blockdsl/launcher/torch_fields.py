"""Fields of torch tensors that DLPack does not describe: dispatch keys and the bounds of the storage.

The launcher reads them for every tensor of every launch. Asking torch for them in Python takes three microseconds a
tensor, and torch exports no stable C function for them, so the launcher reads torch's C++ objects at offsets that are
measured in the running process: an offset counts only if, in several tensors that differ there, it is the one place
that holds the value torch reports in Python. If one cannot be measured, the launcher calls ``of`` for each tensor.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from typing import Any

Fields = tuple[int, int, int]
"""Dispatch keys as bits, address of the storage, and its size in bytes, which is -1 for a tensor without storage."""

Layout = tuple[int, int, int, int, int]
"""Byte offsets: of the TensorImpl in the Python object, of keys and storage in it, of address and size in that."""

_TENSOR_BYTES, _STORAGE_BYTES = 192, 64
"""How far objects are searched: no C++ tensor and no storage is smaller."""


def of(tensor: Any) -> Fields:
    """The fields of one tensor, as torch reports them."""
    torch = sys.modules["torch"]
    keys: int = torch._C._dispatch_keys(tensor).raw_repr()
    try:
        with torch._C.DisableTorchFunctionSubclass():
            storage = tensor.untyped_storage()
            return keys, storage.data_ptr(), storage.nbytes()
    except RuntimeError:  # sparse, for example; NotImplementedError is one, too
        return keys, 0, -1


def increment_version(value: Any) -> None:
    """Raises the version counter of a tensor that was stored through. Other values, and some tensors, have none."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        torch._C._increment_version((value,))


def masks() -> tuple[int, int]:
    """The dispatch keys of tensors whose elements are negated, and of those with a version counter."""
    torch = sys.modules["torch"]
    key = torch._C.DispatchKey
    negative, counted = (torch._C.DispatchKeySet(each).raw_repr() for each in (key.Negative, key.ADInplaceOrView))
    return negative, counted


def layout() -> Layout | tuple[()] | None:
    """Measures the offsets. Empty if they are ambiguous, None while a mode or a transformation of torch is active."""
    torch = sys.modules["torch"]
    if torch._C._len_torch_dispatch_stack() or torch._C._functorch.peek_interpreter_stack() is not None:
        return None
    with torch._C.DisableTorchFunction():
        tensors = [
            torch.empty(3, dtype=torch.float32, device="cpu"),
            torch._neg_view(torch.empty(5, dtype=torch.float32, device="cpu")),
            # The address of these elements is not the handle that frees them.
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
    """The one multiple of 8 below ``size`` at which each object holds its value; -1 if there is none, or another."""
    pairs = list(zip(objects, values, strict=True))
    found = [
        at for at in range(0, size, 8)
        if all(ctypes.c_uint64.from_address(each + at).value == value for each, value in pairs)
    ]  # fmt: skip
    return found[0] if len(found) == 1 else -1
