"""Functionalization of launches, for graphs without in-place operations.

A tensor that is stored through is then a new one after the launch, made of the memory it is a view of; a tensor that is
only read stays the one from before. So one that shares memory with the former is passed as one of them, or the kernel
would not read what it has stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from blockdsl.torch_compile.launch_schema import parse_schema


def _memory(tensor: Any) -> int:
    """Equal for views of one tensor."""
    base = tensor._base
    return int((tensor if base is None else base)._cdata)


def together(form: str, written: Sequence[Any], read: Sequence[Any]) -> tuple[str, list[Any], list[Any]]:
    """The same launch with all tensors among ``written`` that share memory with one of them."""
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
    """The operator's rule for FunctionalTensorMode."""
    kernel, form, written, read, *rest = args
    return mode.__torch_dispatch__(function, types, (kernel, *together(form, written, read), *rest), kwargs)
