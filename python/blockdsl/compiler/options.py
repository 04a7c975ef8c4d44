"""What a compilation is told besides the kernel and the target: the options of the CPU pipelines."""

from __future__ import annotations

from dataclasses import dataclass

from blockdsl.compiler.target import Target


@dataclass(frozen=True)
class Options:
    """One variant of a kernel.

    Attributes:
        disjoint: The pointer arguments span bytes of their own; else nothing is assumed of them.
        streaming: Whole-vector stores bypass the caches.
        fp_fusion: A multiplication and an addition may become one operation.
    """

    disjoint: bool = True
    streaming: bool = False
    fp_fusion: bool = True

    def pipeline(self, target: Target) -> str:
        """The option text that all CPU pipelines take, as ``blockdsl-opt`` spells it."""
        return (
            f"{{vector-bits={target.vector_bits} features={target.pass_features}"
            f" alias={'disjoint' if self.disjoint else 'unknown'}"
            f" streaming-stores={str(self.streaming).lower()} fp-fusion={str(self.fp_fusion).lower()}}}"
        )
