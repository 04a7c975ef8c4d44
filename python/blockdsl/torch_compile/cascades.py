"""Inductor's Triton kernel with cascaded sums: an inner loop sums up a piece of a row, an outer loop the pieces' sums.

The error of a sum with one accumulator per lane grows with the length of the row, that of a cascade with the length of
a piece and the number of pieces.
"""

from __future__ import annotations

from typing import Any

import torch
from torch._inductor.codegen.triton import TritonKernel
from torch._inductor.utils import IndentedBuffer, is_welford_reduction
from torch._inductor.virtualized import V

PIECE = 4096
"""The most terms that are added to one accumulator, as in Inductor's C++ code."""


class Kernel(TritonKernel):
    """The kernel of one group of a graph's ops."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self._accumulators: list[tuple[str, ...]] = []
        super().__init__(*args, **named)

    def reduction(self, dtype: torch.dtype, src_dtype: torch.dtype, reduction_type: Any, value: Any) -> Any:
        """Emits a reduction, and records the accumulators of its loop, which are named after its result."""
        result: Any = super().reduction(dtype, src_dtype, reduction_type, value)
        if not src_dtype.is_floating_point or src_dtype == torch.float64:
            return result
        if reduction_type == "sum":
            self._accumulate(f"_{result}")
        elif is_welford_reduction(reduction_type):
            self._accumulate(*(f"{result[0]}_{part}" for part in ("mean", "m2", "weight")))
        return result

    def _accumulate(self, *names: str) -> None:
        if names not in self._accumulators:
            self._accumulators.append(names)

    def codegen_body(self) -> None:
        """Emits the collected code, in a loop over the row if there is one, nested in a loop over pieces for a long
        row."""
        write: Any = super().codegen_body
        accumulators, self._accumulators = self._accumulators, []
        loops = [tree for tree in self.range_trees if tree.is_loop] if self.inside_reduction else []
        if not accumulators or len(loops) != 1 or self.cooperative_reduction or not self._is_long(loops[0]):
            write()
            return
        preamble, combine, store = self.body, self.post_loop_combine, self.post_loop_store
        self.body, self.post_loop_combine, self.post_loop_store = (IndentedBuffer() for _ in range(3))
        write()
        loop, self.body = self.body, preamble
        self._write_pieces(loops[0].prefix, loop, accumulators)
        self.body.splice(combine)
        self.body.splice(store)

    def _is_long(self, row: Any) -> bool:
        """Returns False if the row is known to have at most one piece."""
        block = f"{row.prefix.upper()}BLOCK"
        step = self.fixed_config[block] if self.fixed_config and block in self.fixed_config else 1
        return not V.graph.sizevars.statically_known_leq(row.numel, PIECE * step)

    def _write_pieces(self, prefix: str, loop: Any, accumulators: list[tuple[str, ...]]) -> None:
        """Emits the loop over a row's pieces around the emitted loop over the row."""
        piece, step = f"{prefix}piece", f"{PIECE} * {prefix.upper()}BLOCK"
        lines = loop._lines  # Its accessor is new in torch 2.13.
        header = f"for {prefix}offset in tl.range({{}}, {{}}, {prefix.upper()}BLOCK):"
        assert lines[0] == header.format(0, f"{prefix}numel"), lines[0]
        lines[0] = header.format(piece, f"min({piece} + {step}, {prefix}numel)")
        names = [name for group in accumulators for name in group]
        self.body.writelines([f"{name}_pieces = {name}" for name in names])
        self.body.writeline(f"for {piece} in tl.range(0, {prefix}numel, {step}):")
        with self.body.indent():
            self.body.writelines([f"{name} = tl.zeros_like({name})" for name in names])
            self.body.splice(loop)
            self.body.writelines([_combined(group) for group in accumulators])
        self.body.writelines([f"{name} = {name}_pieces" for name in names])


def _combined(accumulators: tuple[str, ...]) -> str:
    """Returns the line that adds a piece to the previous ones."""
    pieces = [f"{name}_pieces" for name in accumulators]
    if len(accumulators) == 1:
        return f"{pieces[0]} += {accumulators[0]}"
    return f"{', '.join(pieces)} = triton_helpers.welford_combine({', '.join([*pieces, *accumulators])})"
