"""Listeners of compilations and of autotuner searches, and the types of their callbacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class CompileTimes:
    """How long a compilation took, in microseconds.

    Attributes:
        ir_initialization: Until the first module, or until the kernel was found in the cache.
        lowering_stages: The stages after it, by name, in order.
        store_results: Until what is kept was written.
    """

    ir_initialization: int
    lowering_stages: list[tuple[str, int]]
    store_results: int

    @property
    def total_lowering(self) -> int:
        """Of all stages."""
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self) -> int:
        """Of all of it."""
        return self.ir_initialization + self.total_lowering + self.store_results


class CompilationListener(Protocol):
    """What ``knobs.compilation.listener`` may be."""

    def __call__(
        self, *, src: Any, metadata: dict[str, Any], metadata_group: dict[str, str], times: CompileTimes,
        cache_hit: bool,
    ) -> None: ...  # fmt: skip


class AutotuneListener(Protocol):
    """What ``knobs.autotuning.listener`` may be."""

    def __call__(
        self, *, fn: Any, key: tuple[Any, ...], best_config: Any, configs_timings: Mapping[Any, Any],
        duration: float | None, cache_hit: bool,
    ) -> None: ...  # fmt: skip


class LaunchHook(Protocol):
    """What ``knobs.runtime.launch_enter_hook`` and ``launch_exit_hook`` may be."""

    def __call__(self, metadata: Any) -> None: ...


class JITHook(Protocol):
    """What ``knobs.runtime.jit_cache_hook`` and ``jit_post_compile_hook`` may be."""

    def __call__(
        self, *, key: str, repr: str, fn: Any, compile: Mapping[str, Any], is_manual_warmup: bool,  # noqa: A002
        already_compiled: bool,
    ) -> bool | None: ...  # fmt: skip


class InitHandleHook(Protocol):
    """What ``knobs.runtime.kernel_load_start_hook``, ``kernel_load_end_hook`` and ``kernel_unload_hook`` may be."""

    def __call__(
        self, module: Any, function: Any, name: str, metadata_group: dict[str, str], hash: str  # noqa: A002
    ) -> None: ...  # fmt: skip
