"""Tensors as a kernel was told that they lie: a graph's compiler may have laid one out differently. Who asks a tensor
for its strides does not see that; a launch has asked before the graph was compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def restored(tensors: list[Any], integers: Sequence[int]) -> dict[int, Any]:
    """Puts a copy in the place of each tensor that does not lie as it was said to.

    Args:
        tensors: The tensors of a launch; changed.
        integers: The operator's, which end with the strides of all of these.

    Returns:
        What was there before, by place.
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
    """Whether the strides differ at most where nobody takes a step."""
    steps = zip(tensor.shape, tensor.stride(), strides, strict=True)
    return tensor.numel() == 0 or all(size == 1 or is_now == wanted for size, is_now, wanted in steps)


def _laid_out(tensor: Any, strides: tuple[int, ...]) -> Any:
    result = torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device)
    to, given = result, tensor
    for dimension, stride in enumerate(strides):
        if stride == 0:  # Its elements are one.
            to, given = to.narrow(dimension, 0, 1), given.narrow(dimension, 0, 1)
    to.copy_(given)
    return result
