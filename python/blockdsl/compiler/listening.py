"""``knobs.compilation.listener``: told of each kernel that is compiled, or taken from the disk, and of the time."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

from blockdsl import knobs

if TYPE_CHECKING:
    from blockdsl.compiler.compiled_kernel import CompiledKernel
    from blockdsl.compiler.dumps import Printed, Watch


class Stopwatch:
    """When a compilation reached each of its stages."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._reached: list[tuple[str, float]] = []

    def reached(self, stage: str) -> None:
        """A stage is there."""
        self._reached.append((stage, time.perf_counter()))

    def beside(self, watch: Watch) -> Watch:
        """Tells a function of the stages, and notes when they are reached."""

        def both(stage: str, text: Printed) -> None:
            self.reached(stage)
            watch(stage, text)

        return both

    def tell(self, kernel: CompiledKernel) -> None:
        """Tells the listener, if there is one, of what the compilation gave."""
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
