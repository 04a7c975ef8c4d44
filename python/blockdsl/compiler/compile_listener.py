"""Calls of ``knobs.compilation.listener``, and log messages, for each compiled or cached kernel with its times."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from blockdsl import knobs

if TYPE_CHECKING:
    from blockdsl.compiler.compiled_kernel import CompiledKernel
    from blockdsl.compiler.dumps import Printed, Watch
    from blockdsl.compiler.remarks import Remark
    from blockdsl.language.target_info import GPUTarget

_log = logging.getLogger("blockdsl.compiler")


class Stopwatch:
    """Records the times at which a compilation reaches its stages."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._reached: list[tuple[str, float]] = []

    def reached(self, stage: str) -> None:
        """Records that a stage is reached."""
        self._reached.append((stage, time.perf_counter()))

    def recording(self, watch: Watch) -> Watch:
        """Returns a function that records a stage and passes it to ``watch``."""

        def both(stage: str, text: Printed) -> None:
            self.reached(stage)
            watch(stage, text)

        return both

    def notify(self, kernel: CompiledKernel) -> None:
        """Logs the result of the compilation, and calls the listener, if there is one, with it."""
        self.log(kernel.name, kernel.metadata.target, kernel.metadata.hash, lambda: kernel.remarks)
        listener = knobs.compilation.listener
        if listener is not None:
            listener(
                src=kernel.src,
                metadata=kernel.metadata._asdict(),
                metadata_group=kernel.metadata_group,
                times=self._times(),
                cache_hit=not self._reached,
            )

    def log(self, name: str, target: GPUTarget, key: str, remarks: Callable[[], Sequence[Remark]]) -> None:
        """Logs the result of the compilation of a kernel."""
        if not _log.isEnabledFor(logging.INFO):
            return
        times = self._times()
        verb, source = ("compiled", "") if self._reached else ("took", " from the disk cache")
        _log.info("%s %s for %s:%s%s in %.1f ms", verb, name, target.backend, target.arch, source, times.total / 1e3)
        if not _log.isEnabledFor(logging.DEBUG):
            return
        stages = [("first module", times.ir_initialization), *times.lowering_stages, ("rest", times.store_results)]
        _log.debug("%s: %s", name, ", ".join(f"{stage} {time / 1e3:.1f} ms" for stage, time in stages))
        _log.debug("%s: key %s", name, key)
        for remark in remarks():
            _log.debug("%s: %s", name, remark)

    def _times(self) -> knobs.CompileTimes:
        ends = [self._begun, *(moment for _, moment in self._reached), time.perf_counter()]
        first, *rest = [int((end - begin) * 1e6) for begin, end in itertools.pairwise(ends)]
        later = [stage for stage, _ in self._reached[1:]]
        return knobs.CompileTimes(first, list(zip(later, rest, strict=False)), rest[-1] if rest else 0)
