"""Hooks around launches, called as Triton calls them; they are set in ``knobs.runtime``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from blockdsl import _runtime, knobs
from blockdsl.backends.driver import Driver
from blockdsl.compiler.compiled_kernel import CompiledKernel
from blockdsl.compiler.lazy import LazyDict
from blockdsl.errors import LaunchError

knobs.runtime.observe(_runtime.watch_launches)


class Watched:
    """A launcher around whose launches hooks are called (lib/Bindings/Python/LaunchHooks.cpp)."""

    launch_metadata: Any = None
    pre_run_hooks: list[Callable[..., object]]

    def _pre_run(self, grid: None, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
        del grid
        for hook in list(self.pre_run_hooks):
            hook(*args, **kwargs)

    def _entering(
        self,
        kernel: CompiledKernel,
        grid: tuple[int, int, int],
        device: int,
        arguments: Mapping[str, object],
        stream: object,
    ) -> LazyDict:
        if stream is None:
            stream = Driver().get_current_stream(device) if device >= 0 else 0
        metadata = LazyDict({"name": kernel.name, "function": kernel, "stream": stream})
        if self.launch_metadata is not None:
            metadata.add(self.launch_metadata, (grid, kernel.metadata, arguments))
        if knobs.runtime.launch_enter_hook is not None:
            knobs.runtime.launch_enter_hook(metadata)
        return metadata

    def _leaving(self, metadata: LazyDict) -> None:
        if knobs.runtime.launch_exit_hook is not None:
            knobs.runtime.launch_exit_hook(metadata)


def add_hook(hooks: list[Callable[..., object]], hook: Callable[..., object]) -> None:
    """Adds a function that is called before each launch of a kernel, with the launch's arguments."""
    if not callable(hook):
        raise LaunchError(f"a hook is a function, got {hook!r}")
    hooks.append(hook)
