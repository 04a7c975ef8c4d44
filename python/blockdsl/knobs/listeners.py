"""Listeners of compilations and of autotuner searches, and the types of their callbacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class CompileTimes:
    """The durations of a compilation's phases in microseconds.

    Attributes:
        ir_initialization: Building the first module, or finding the kernel in the cache.
        lowering_stages: Each later stage, by name, in order.
        store_results: Storing the result.
    """

    ir_initialization: int
    lowering_stages: list[tuple[str, int]]
    store_results: int

    @property
    def total_lowering(self) -> int:
        """The duration of all stages."""
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self) -> int:
        """The total duration."""
        return self.ir_initialization + self.total_lowering + self.store_results


class CompilationListener(Protocol):
    """The type of ``knobs.compilation.listener``."""

    def __call__(
        self, *, src: Any, metadata: dict[str, Any], metadata_group: dict[str, str], times: CompileTimes,
        cache_hit: bool,
    ) -> None: ...  # fmt: skip


class AutotuneListener(Protocol):
    """The type of ``knobs.autotuning.listener``."""

    def __call__(
        self, *, fn: Any, key: tuple[Any, ...], best_config: Any, configs_timings: Mapping[Any, Any],
        duration: float | None, cache_hit: bool,
    ) -> None: ...  # fmt: skip


class LaunchHook(Protocol):
    """The type of ``knobs.runtime.launch_enter_hook`` and ``launch_exit_hook``."""

    def __call__(self, metadata: Any) -> None: ...


class JITHook(Protocol):
    """The type of ``knobs.runtime.jit_cache_hook`` and ``jit_post_compile_hook``."""

    def __call__(
        self, *, key: str, repr: str, fn: Any, compile: Mapping[str, Any], is_manual_warmup: bool,  # noqa: A002
        already_compiled: bool,
    ) -> bool | None: ...  # fmt: skip


class InitHandleHook(Protocol):
    """The type of ``knobs.runtime.kernel_load_start_hook``, ``kernel_load_end_hook`` and ``kernel_unload_hook``."""

    def __call__(
        self, module: Any, function: Any, name: str, metadata_group: dict[str, str], hash: str  # noqa: A002
    ) -> None: ...  # fmt: skip
