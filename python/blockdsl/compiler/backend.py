"""Queries of Triton's back end for a target: its options, and the key of the compiler.

Stages are not included: ``compile`` runs them, and ``asm`` has their results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import blockdsl
from blockdsl.backends import nvidia
from blockdsl.backends.driver import Driver
from blockdsl.compiler import cache
from blockdsl.compiler import target as targets
from blockdsl.compiler.compiled_kernel import build_id
from blockdsl.compiler.options import CUDAOptions
from blockdsl.errors import TargetError
from blockdsl.language.target_info import GPUTarget


class Backend:
    """The compiler for one target.

    Attributes:
        target: The target.
        binary_ext: The stage of ``asm`` that holds machine code.

    Raises:
        TargetError: The target is not supported.
    """

    def __init__(self, target: GPUTarget) -> None:
        self._gpu = targets.parse(target)
        self.target = target
        self.binary_ext = "asm" if self._gpu is None else "cubin"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        """Returns whether the target is supported."""
        try:
            targets.parse(target)
        except TargetError:
            return False
        return True

    def hash(self) -> str:
        """Returns a key that identifies this build of the compiler and the target."""
        chain = () if self._gpu is None else nvidia.toolchain().identity
        return cache.digest(build_id(), str(self.target), *chain)

    def parse_options(self, opts: Mapping[str, object]) -> CUDAOptions:
        """Returns all options: those given by name, and defaults for the others. Unknown names are ignored."""
        return CUDAOptions.of(opts)


def make_backend(target: GPUTarget) -> Backend:
    """Returns the compiler for a target.

    Example:
        options = make_backend(GPUTarget("cuda", 90, 32)).parse_options({"num_warps": 8})
    """
    return Backend(target)


def triton_key() -> str:
    """Returns a key that identifies this build of blockdsl, as Triton's function of this name does for Triton."""
    return f"{blockdsl.__version__}-{build_id()}"


def get_cache_key(src: Any, backend: Any, backend_options: Any, env_vars: Mapping[str, str]) -> str:
    """Returns a key for the result of compiling a source with a back end's options."""
    variables = str(sorted(env_vars.items()))
    return cache.digest(triton_key(), src.hash(), backend.hash(), backend_options.hash(), variables)


def max_shared_mem(device: int) -> int:
    """Returns the bytes of shared memory that a program can have on a device; on a CPU the cache of one core."""
    return Driver().utils.get_device_properties(device)["max_shared_mem"]
