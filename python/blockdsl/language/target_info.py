"""Queries of the target in kernels, which are compile-time values: ``if tl.target_info.is_cuda(): ...``."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from .constexpr import constexpr_function


@dataclass(frozen=True)
class GPUTarget:
    """Triton's description of a target, also for CPUs.

    Attributes:
        backend: ``cpu`` or ``cuda``.
        arch: The compute capability of a GPU, such as 90; the name of a CPU's architecture.
        warp_size: The number of threads of a GPU's warp; 1 for a CPU.

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
    """Context in which kernels are built for this target."""
    token = _current.set(target)
    try:
        yield
    finally:
        _current.reset(token)


@constexpr_function
def current_target() -> GPUTarget:
    """Returns the target of the kernel being compiled; outside of kernels, the CPU."""
    return _current.get()


@constexpr_function
def is_cuda() -> bool:
    """Returns whether the kernel is compiled for an NVIDIA GPU."""
    return _current.get().backend == "cuda"


@constexpr_function
def is_hip() -> bool:
    """Returns False: AMD's GPUs are not supported."""
    return False


@constexpr_function
def is_hip_cdna3() -> bool:
    """Returns False: AMD's GPUs are not supported."""
    return False


@constexpr_function
def is_hip_cdna4() -> bool:
    """Returns False: AMD's GPUs are not supported."""
    return False


@constexpr_function
def is_hip_gfx1250() -> bool:
    """Returns False: AMD's GPUs are not supported."""
    return False


@constexpr_function
def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    """Returns whether the kernel is compiled for an NVIDIA GPU of at least this compute capability."""
    target = _current.get()
    return target.backend == "cuda" and int(target.arch) >= major * 10 + minor
