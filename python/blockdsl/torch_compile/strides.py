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
    before: dict[int, Any] = {}
    end = len(integers)
    for place in range(len(tensors) - 1, -1, -1):
        tensor = tensors[place]
        begin = end - tensor.dim()
        wanted = tuple(integers[begin:end])
        if tensor.stride() != wanted and not _lies_so(tensor, wanted):
            before[place], tensors[place] = tensor, _laid_out(tensor, wanted)
        end = begin
    return before


def _lies_so(tensor: Any, strides: tuple[int, ...]) -> bool:
    """Returns whether the strides are equal, except in dimensions of extent 1."""
    steps = zip(tensor.shape, tensor.stride(), strides, strict=True)
    return tensor.numel() == 0 or all(size == 1 or is_now == wanted for size, is_now, wanted in steps)


def _laid_out(tensor: Any, strides: tuple[int, ...]) -> Any:
    result = torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device)
    to, given = result, tensor
    for dimension, stride in enumerate(strides):
        if stride == 0:  # All elements share memory.
            to, given = to.narrow(dimension, 0, 1), given.narrow(dimension, 0, 1)
    to.copy_(given)
    return result
