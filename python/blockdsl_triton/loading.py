"""Kernels for the CPU are loaded by our driver, whichever is active, and have the text of every stage in ``asm``. What
Triton's cache has of them is checked.

Inductor loads what its workers or its cache give it without asking any back end, and before it makes ours active. So
this is in place wherever Triton has looked for a driver or for a compiler, on a GPU's machine too, and is therefore
light: only a kernel for the CPU imports what loads it.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any


@functools.cache
def guard() -> None:
    """Has every kernel of Triton's be loaded by the driver of its target, and those for the CPU show their stages."""
    # Whoever has a GPU comes by here without having asked for us: a Triton that loads kernels otherwise is left alone.
    with contextlib.suppress(ImportError, AttributeError):
        _guard()


def _guard() -> None:
    from triton.compiler import CompiledKernel

    load = CompiledKernel._init_handles

    @functools.wraps(load)
    def guarded(self: Any) -> None:
        if getattr(self, "module", None) is not None:  # Asked on every relaunch.
            return
        # The driver is ours only if active_driver is imported.
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
    """Replaces ``make`` by a function of ``kernel_cache`` that checks files, where Triton compiles for the CPU."""

    @functools.wraps(make)
    def made(key: str) -> Any:
        # Triton's function ``compile`` has the target.
        target = sys._getframe(1).f_locals.get("target")
        if getattr(target, "backend", None) != "cpu":
            return make(key)
        from blockdsl.triton import kernel_cache

        return getattr(kernel_cache, name)(make, key)

    return made
