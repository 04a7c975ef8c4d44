"""Queries of the target in kernels: ``if tl.target_info.is_cuda(): ...`` is decided at compile time."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from .constexpr import constexpr_function


@dataclass(frozen=True)
class GPUTarget:
    """What Triton calls a target, CPUs among them.

    Attributes:
        backend: ``cpu`` or ``cuda``.
        arch: Of a GPU the compute capability, such as 90; of a CPU the name of its architecture.
        warp_size: How many threads of a GPU run together; 1 on a CPU.

    Example:
        GPUTarget("cuda", 90, 32)
    """

    backend: str
    arch: int | str
    warp_size: int


CPU = GPUTarget("cpu", platform.machine(), 1)

_current: ContextVar[GPUTarget] = ContextVar("blockdsl_target", default=CPU)


@contextlib.contextmanager
def compiling_for(target: GPUTarget) -> Iterator[None]:
    """Kernels that are built inside are for this target."""
    token = _current.set(target)
    try:
        yield
    finally:
        _current.reset(token)


@constexpr_function
def current_target() -> GPUTarget:
    """The target that the kernel is compiled for; outside of a kernel, the CPU."""
    return _current.get()


@constexpr_function
def is_cuda() -> bool:
    """Is the kernel compiled for an NVIDIA GPU?"""
    return _current.get().backend == "cuda"


@constexpr_function
def is_hip() -> bool:
    """No: kernels run on CPUs and NVIDIA GPUs."""
    return False


@constexpr_function
def is_hip_cdna3() -> bool:
    """No: kernels run on CPUs and NVIDIA GPUs."""
    return False


@constexpr_function
def is_hip_cdna4() -> bool:
    """No: kernels run on CPUs and NVIDIA GPUs."""
    return False


@constexpr_function
def is_hip_gfx1250() -> bool:
    """No: kernels run on CPUs and NVIDIA GPUs."""
    return False


@constexpr_function
def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    """Is the kernel compiled for an NVIDIA GPU of at least this compute capability?"""
    target = _current.get()
    return target.backend == "cuda" and int(target.arch) >= major * 10 + minor
