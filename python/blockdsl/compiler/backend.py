"""Queries of Triton's back end for a target: its options, and the key of the compiler.

Its stages are not among them: ``compile`` runs them, and ``asm`` has what each leaves behind.
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
    """What compiles for one target.

    Attributes:
        target: The target.
        binary_ext: The stage of ``asm`` that machine code is in.

    Raises:
        TargetError: Nothing compiles for it.
    """

    def __init__(self, target: GPUTarget) -> None:
        self._gpu = targets.parse(target)
        self.target = target
        self.binary_ext = "asm" if self._gpu is None else "cubin"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        """Whether something compiles for it."""
        try:
            targets.parse(target)
        except TargetError:
            return False
        return True

    def hash(self) -> str:
        """Tells one compiler for the target from another."""
        chain = () if self._gpu is None else nvidia.toolchain().identity
        return cache.digest(build_id(), str(self.target), *chain)

    def parse_options(self, opts: Mapping[str, object]) -> CUDAOptions:
        """All options, of which some are given by name; names that it does not have are passed over."""
        return CUDAOptions.of(opts)


def make_backend(target: GPUTarget) -> Backend:
    """What compiles for a target.

    Example:
        options = make_backend(GPUTarget("cuda", 90, 32)).parse_options({"num_warps": 8})
    """
    return Backend(target)


def triton_key() -> str:
    """Tells one build of blockdsl from another, as Triton's function of this name does of Triton."""
    return f"{blockdsl.__version__}-{build_id()}"


def get_cache_key(src: Any, backend: Any, backend_options: Any, env_vars: Mapping[str, str]) -> str:
    """A key for what compiling a source with a back end's options gives."""
    variables = str(sorted(env_vars.items()))
    return cache.digest(triton_key(), src.hash(), backend.hash(), backend_options.hash(), variables)


def max_shared_mem(device: int) -> int:
    """Bytes of shared memory that a program can have on a device; on a CPU the cache of one of its cores."""
    return Driver().utils.get_device_properties(device)["max_shared_mem"]
