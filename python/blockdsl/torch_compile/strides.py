"""Restoration of recorded strides: a graph's compiler may change the layout of a tensor after a launch was recorded
with its strides as arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def restored(tensors: list[Any], integers: Sequence[int]) -> dict[int, Any]:
    """Replaces each tensor with other than its recorded strides by a copy.

    Args:
        tensors: The tensors of a launch, modified in place.
        integers: The operator's integers, which end with the strides of all tensors.

    Returns:
        The replaced tensors, by index.
    """
    replaced: dict[int, Any] = {}
    end = len(integers)
    for index in range(len(tensors) - 1, -1, -1):
        tensor = tensors[index]
        begin = end - tensor.dim()
        recorded = tuple(integers[begin:end])
        if tensor.stride() != recorded and not _has_strides(tensor, recorded):
            replaced[index], tensors[index] = tensor, _copied(tensor, recorded)
        end = begin
    return replaced


def _has_strides(tensor: Any, strides: tuple[int, ...]) -> bool:
    """Returns whether the strides are equal, except in dimensions of extent 1."""
    steps = zip(tensor.shape, tensor.stride(), strides, strict=True)
    return tensor.numel() == 0 or all(size == 1 or current == recorded for size, current, recorded in steps)


def _copied(tensor: Any, strides: tuple[int, ...]) -> Any:
    result = torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device)
    target, source = result, tensor
    for dimension, stride in enumerate(strides):
        if stride == 0:  # All elements share memory.
            target, source = target.narrow(dimension, 0, 1), source.narrow(dimension, 0, 1)
    target.copy_(source)
    return result
