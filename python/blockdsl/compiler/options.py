"""What a compilation is told besides the kernel and the target: the options of the CPU pipelines."""

from __future__ import annotations

from dataclasses import dataclass

from blockdsl.compiler.target import Target


@dataclass(frozen=True)
class Options:
    """One variant of a kernel.

    Attributes:
        disjoint: The pointer arguments span bytes of their own; else nothing is assumed of them.
        merged: For each run-time parameter the first one with the same pointer, which stands for it; empty when each is
            its own.
        streaming: Whole-vector stores bypass the caches.
        fp_fusion: A multiplication and an addition may become one operation.
    """

    disjoint: bool = True
    merged: tuple[int, ...] = ()
    streaming: bool = False
    fp_fusion: bool = True

    @property
    def alias(self) -> str:
        """The class of aliases, in a word."""
        return "unknown" if not self.disjoint else "merged" if self.merged else "disjoint"

    def pipeline(self, target: Target) -> str:
        """The option text that all CPU pipelines take, as ``blockdsl-opt`` spells it."""
        merged = f" merged={','.join(map(str, self.merged))}" if self.merged else ""
        return (
            f"{{vector-bits={target.vector_bits} features={target.pass_features}"
            f" alias={'disjoint' if self.disjoint else 'unknown'}{merged}"
            f" streaming-stores={str(self.streaming).lower()} fp-fusion={str(self.fp_fusion).lower()}}}"
        )
