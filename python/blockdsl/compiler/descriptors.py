"""Tensor descriptors as parameters of GPU kernels, as Triton's compiler describes them.

From compute capability 9.0 on, a descriptor is a tensor map, which the launcher encodes for each launch as the kernel
wants it; then extents and strides. Before, Triton takes descriptors apart: base, extents, strides and flags; then
extents and strides once more. Where a kernel gathers rows and the hardware does not, our passes have taken descriptors
apart: base, extents, strides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Request = tuple[int, int, int, bool, tuple[int, ...]]
"""A tensor map, as ``_runtime.CUDAKernel`` takes it."""


def heads(count: int, described: Sequence[Mapping[str, Any] | None] | None, flags: str) -> list[str]:
    """For each of ``count`` descriptors what stands before its extents and strides, as ``slots`` takes it.

    ``described`` is Triton's ``tensordesc_meta``; ``flags`` are those that its version passes where it takes
    descriptors apart: ``p``, or ``pt``.
    """
    told = list(described or [None] * count)
    return ["n" + flags if each is None else "m" for each in told]


def requests(described: Sequence[Mapping[str, Any] | None] | None) -> list[Request]:
    """The tensor maps that a kernel wants, in the order of its parameters."""
    return [
        (
            int(each["swizzle"]),
            int(each["elem_size"]),
            int(each["elem_type"]),
            bool(each["fp4_padded"]),
            tuple(int(size) for size in each["block_size"]),
        )
        for each in described or ()
        if each is not None
    ]
