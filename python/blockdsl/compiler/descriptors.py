"""Tensor descriptors as parameters of GPU kernels, as Triton's compiler describes them.

From compute capability 9.0 on, a descriptor is passed as a tensor map, which the launcher encodes for each launch,
followed by extents and strides. For earlier GPUs Triton splits descriptors into base, extents, strides and flags, again
followed by extents and strides. If a kernel gathers rows and the hardware cannot, our passes have split its descriptors
into base, extents and strides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Request = tuple[int, int, int, bool, tuple[int, ...]]
"""A tensor map, as ``_runtime.CUDAKernel`` takes it."""


def heads(count: int, described: Sequence[Mapping[str, Any] | None] | None, flags: str) -> list[str]:
    """Returns for each of ``count`` descriptors the encodings before its extents and strides, as ``slots`` takes them.

    ``described`` is Triton's ``tensordesc_meta``; ``flags`` are those that the Triton version passes for split
    descriptors: ``p`` or ``pt``.
    """
    entries = list(described or [None] * count)
    return ["n" + flags if each is None else "m" for each in entries]


def requests(described: Sequence[Mapping[str, Any] | None] | None) -> list[Request]:
    """Returns the tensor maps that a kernel takes, in the order of its parameters."""
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
