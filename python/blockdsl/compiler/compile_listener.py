"""Calls of ``knobs.compilation.listener`` with each compiled or cached kernel and its compile times."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

from blockdsl import knobs

if TYPE_CHECKING:
    from blockdsl.compiler.compiled_kernel import CompiledKernel
    from blockdsl.compiler.dumps import Printed, Watch


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
        """Calls the listener, if there is one, with the result of the compilation."""
        listener = knobs.compilation.listener
        if listener is not None:
            listener(
                src=kernel.src,
                metadata=kernel.metadata._asdict(),
                metadata_group=kernel.metadata_group,
                times=self._times(),
                cache_hit=not self._reached,
            )

    def _times(self) -> knobs.CompileTimes:
        ends = [self._begun, *(moment for _, moment in self._reached), time.perf_counter()]
        first, *rest = [int((end - begin) * 1e6) for begin, end in itertools.pairwise(ends)]
        later = [stage for stage, _ in self._reached[1:]]
        return knobs.CompileTimes(first, list(zip(later, rest, strict=False)), rest[-1] if rest else 0)
