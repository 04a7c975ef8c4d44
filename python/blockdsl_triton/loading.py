"""Loading of Triton's kernels for the CPU by our driver, with all stages in ``asm`` and checks of cached files.

Inductor loads kernels from its workers or its cache without a back end, and before it activates our driver. So these
patches are installed whenever Triton looks for a driver or a compiler, also on a machine with a GPU. They are light:
``blockdsl`` is imported only for a kernel for the CPU.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any


@functools.cache
def guard() -> None:
    """Patches Triton to load each kernel by the driver of its target, and to add stages to those for the CPU."""
    # This also runs for users of GPUs, so a Triton that loads kernels in another way is not patched.
    with contextlib.suppress(ImportError, AttributeError):
        _guard()


def _guard() -> None:
    from triton.compiler import CompiledKernel

    load = CompiledKernel._init_handles

    @functools.wraps(load)
    def guarded(self: Any) -> None:
        if getattr(self, "module", None) is not None:  # Loaded already; called at every launch.
            return
        # Without active_driver the active driver is not ours.
        if self.metadata.target.backend != "cpu" and "blockdsl.triton.active_driver" not in sys.modules:
            load(self)
            return
        from blockdsl.triton import active_driver

        active_driver.load(self, load)

    make = CompiledKernel.__init__

    @functools.wraps(make)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        if self.metadata.target.backend == "cpu":
            from blockdsl.triton import assembly

            assembly.describe(self)

    CompiledKernel._init_handles, CompiledKernel.__init__ = guarded, made
    compiling: Any = sys.modules["triton.compiler.compiler"]
    compiling.get_cache_manager = _checked(compiling.get_cache_manager, "cache_manager")
    compiling.get_override_manager = _checked(compiling.get_override_manager, "override_manager")


def _checked(make: Callable[[str], Any], name: str) -> Callable[[str], Any]:
    """Wraps ``make`` with a function of ``kernel_cache`` that checks files, when Triton compiles for the CPU."""

    @functools.wraps(make)
    def made(key: str) -> Any:
        # The target is a local variable of Triton's function ``compile``.
        target = sys._getframe(1).f_locals.get("target")
        if getattr(target, "backend", None) != "cpu":
            return make(key)
        from blockdsl.triton import kernel_cache

        return getattr(kernel_cache, name)(make, key)

    return made
