"""Functionalization of launches, for graphs without in-place operations.

A mutated tensor is a new one after the launch, made from its base; a tensor that is only read keeps its old value. So a
read tensor that shares memory with a mutated one is passed as mutated, too; otherwise the kernel would not read its own
stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from blockdsl.torch_compile.launch_schema import parse_schema


def _memory(tensor: Any) -> int:
    """Returns a number that is equal for views of one tensor."""
    base = tensor._base
    return int((tensor if base is None else base)._cdata)


def together(form: str, written: Sequence[Any], read: Sequence[Any]) -> tuple[str, list[Any], list[Any]]:
    """Returns the launch with all read tensors that share memory with a written one moved to ``written``."""
    parsed = parse_schema(form)
    memories = {_memory(tensor) for tensor in written}
    tensors = parsed.merged(written, read)
    stored = tuple(_memory(tensor) in memories for tensor in tensors)
    return (
        replace(parsed, stored=stored).text(),
        [tensor for tensor, is_stored in zip(tensors, stored, strict=True) if is_stored],
        [tensor for tensor, is_stored in zip(tensors, stored, strict=True) if not is_stored],
    )


def functional(mode: Any, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """Implements the operator for FunctionalTensorMode."""
    kernel, form, written, read, *scalars = args
    return mode.__torch_dispatch__(function, types, (kernel, *together(form, written, read), *scalars), kwargs)
