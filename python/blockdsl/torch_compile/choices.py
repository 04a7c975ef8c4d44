"""Block shapes of Inductor's kernels on a CPU: one for each kind of kernel, where Inductor would time several.

A block is no register tile: our passes turn it into loops over vectors. So a block is as large as the data that a
program reuses fits into the first cache, but small enough that every thread gets several programs.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Set
from typing import Any

from blockdsl import _runtime

ELEMENTS = 4096
"""Elements of a contiguous block."""

SQUARE = 64
"""Extent of both dimensions of a block that is read along one and written along the other."""

CACHE_LINE = 16
"""Elements of a row that a loop iteration reads: a cache line, so that one instruction reads consecutive lines, which
the hardware prefetcher detects (docs/rationale/torch_compile.md)."""

STREAMS = 4
"""Rows that this loop reads in parallel, so that more loads from memory are in flight than with one row."""

LONGEST_ROW = 1 << 17
"""Elements of the longest row that a program holds at once: half of a second-level cache."""

CACHED_ELEMENTS = 1 << 22
"""Elements that may remain in a cache from one kernel to the next."""

PACKED_ELEMENTS = 64
"""Elements of several short rows that are read at once."""

COLUMNS = 256
"""Columns of a program that sums over rows, one row per iteration of its loop."""

SUMS_IN_REGISTERS = 64
"""Columns whose sums one nest over all rows keeps in registers."""

LONGEST_COLUMN = 1024
"""Elements of the longest column that such a nest reads. Longer ones may be summed in pieces for their accuracy."""

PROGRAMS_PER_THREAD = 2
"""The least number of programs per thread, where it can be chosen."""

MIXED_RATIO = 2
"""The largest ratio of a sum's reads along and across rows for which its blocks are shaped for both."""

SHORT_ROW = 256
"""Elements of the longest row of which a program holds several, because tensors are read along it and across it."""

SHORT_MIXED_RATIO = 4
"""As ``MIXED_RATIO``, for such rows."""

SORTED_ROWS = 16
"""Rows that are sorted in parallel: the lanes of one or two vectors."""

SCANNED_ROWS = 16
"""Rows that are scanned in parallel, in one or two squares that are transposed in registers."""

PADDING_RATIO = 2
"""The largest ratio of a block of two dimensions to the elements that a reduction over both has."""

UNSPLIT_ELEMENTS = 1 << 16
"""Elements up to which a sum is not faster with a second thread."""


def power_of_two(number: int, maximum: int) -> int:
    """Returns the least power of two that is not less than ``number``, but at most ``maximum``."""
    return min(maximum, 1 << max(0, number - 1).bit_length())


def streams(rows: int, threads: int) -> int:
    """Returns the number of rows that a program reads in parallel: a power of two that leaves enough programs per
    thread."""
    possible = max(1, rows // (PROGRAMS_PER_THREAD * threads))
    return min(STREAMS, 1 << (possible.bit_length() - 1))


def pointwise(extents: Mapping[str, int], scores: Mapping[str, int]) -> dict[str, int]:
    """Returns the block of a pointwise kernel. ``x`` is the contiguous dimension; a score of another dimension means
    that tensors are contiguous in it."""
    if len(extents) == 1 or (scores and not any(scores.get(name, 0) for name in "yz")):
        block, remaining = {}, ELEMENTS
        for name in sorted(extents):
            block[f"{name.upper()}BLOCK"] = power_of_two(extents[name], remaining)
            remaining //= block[f"{name.upper()}BLOCK"]
        return block
    block = {f"{name.upper()}BLOCK": power_of_two(extent, SQUARE) for name, extent in extents.items()}
    return {**block, "ZBLOCK": 1} if "z" in extents else block


def order(scores: Mapping[str, int], rows: str, length: int, is_outer: bool = False) -> str:
    """Returns the order in which a reduction of ``rows`` reads memory: "inner" is along the rows, "outer" across them,
    "mixed" means that tensors differ, and "mixed_short" that they do and a program keeps several rows, which are short.
    ``is_outer`` decides if there are no scores."""
    if not {rows, "r0_"} <= set(scores):
        return "outer" if is_outer else "inner"
    along, across = scores["r0_"], scores[rows]
    if length <= SHORT_ROW and 0 < max(along, across) <= SHORT_MIXED_RATIO * min(along, across):
        return "mixed_short"
    if 0 < max(along, across) <= MIXED_RATIO * min(along, across):
        return "mixed"
    return "outer" if across > along else "inner"


def reduction(
    extents: Mapping[str, int], rows: str, order: str, is_persistent: bool, passes: int, threads: int, minimum: int = 1
) -> dict[str, int]:
    """Returns the block of a reduction over ``r0_`` for each of ``rows`` and each index of the other dimensions. An
    outer reduction adds contiguous elements to different sums. At least ``minimum`` rows are read at once if rows are
    short."""
    other_extents = {f"{name.upper()}BLOCK": 1 for name in extents if name in "xyz" and name != rows}
    count, length = extents[rows], extents["r0_"] * extents.get("r1_", 1)
    step: dict[str, int] = {}
    if order == "outer":
        block = power_of_two(count, COLUMNS)
        step = {"R0_BLOCK": 1}
    elif order == "mixed_short":
        block = power_of_two(count, max(CACHE_LINE, ELEMENTS // power_of_two(length, ELEMENTS)))
    elif order == "mixed":
        block = power_of_two(count, CACHE_LINE)
        step = {"R0_BLOCK": power_of_two(length, CACHE_LINE)}
    elif not is_persistent:
        # With several passes, further rows would evict a row from the second-level cache before it is read again.
        block = streams(count, threads) if passes == 1 else 1
        step = {"R0_BLOCK": power_of_two(length, CACHE_LINE)}
    else:
        # Several short rows at once.
        packed_rows = PACKED_ELEMENTS // power_of_two(length, PACKED_ELEMENTS)
        block = max(minimum, power_of_two(count, max(minimum, packed_rows)))
    return {**other_extents, f"{rows.upper()}BLOCK": block, **({} if is_persistent else step)}


def are_persistent(*extents: int) -> bool:
    """Returns whether a program holds all elements of a reduction over several dimensions in one block."""
    block = math.prod(power_of_two(extent, LONGEST_ROW) for extent in extents)
    return block <= min(LONGEST_ROW, PADDING_RATIO * math.prod(extents))


def is_row_persistent(rows: int, length: int, passes: int) -> bool:
    """Returns whether a program holds its row in memory of its own, so that several passes read it once and store no
    intermediate values. A single pass over data from memory reads it line by line instead."""
    return length <= LONGEST_ROW and (passes > 1 or length % CACHE_LINE != 0 or rows * length <= CACHED_ELEMENTS)


def is_column_persistent(columns: int, length: int, passes: int, kinds: Set[str]) -> bool:
    """Returns whether a program reads all rows in one nest. In a loop over rows, the sums of few columns would be in
    memory, and each iteration would wait for the one before to store them. The positions of extrema, which are as many
    registers again, are faster in a loop."""
    is_narrow = columns <= SUMS_IN_REGISTERS and length <= LONGEST_COLUMN
    return is_narrow and passes == 1 and not any(kind.startswith("arg") for kind in kinds)


def splits(length: int, outputs: int, is_inner: bool, threads: int) -> int:
    """Returns the number of pieces for each of ``outputs`` sums of ``length`` elements."""
    programs = outputs if is_inner else -(-outputs // COLUMNS)
    if programs >= PROGRAMS_PER_THREAD * threads or length * outputs <= UNSPLIT_ELEMENTS:
        return 1
    pieces = -(-4 * threads // programs)
    return max(1, min(pieces, length * outputs // UNSPLIT_ELEMENTS, length // 2))


def is_shared_or_timed() -> bool:
    """Returns whether cooperative or timed reductions were requested, whose blocks Inductor chooses."""
    from torch._inductor import config

    return bool(config.triton.force_cooperative_reductions or config.triton.multi_kernel)


@functools.cache
def choices() -> Any:
    """Returns an instance of Inductor's class of choices with our choices for kernels on a CPU."""
    from torch._inductor import config
    from torch._inductor.choices import InductorChoices
    from torch._inductor.codegen.simd_kernel_features import DisableReduction, EnableReduction
    from torch._inductor.codegen.triton import FixedTritonConfig
    from torch._inductor.virtualized import V

    from blockdsl.torch_compile import cascades, versions

    # Before torch 2.13 Inductor drops the dimension of rows if a block has one row, and then fails to find it.
    minimum = 2 if versions.IS_BEFORE_2_13 else 1

    class Choices(InductorChoices):
        """Our choices. All others are inherited from Inductor."""

        def uuid(self) -> str:
            """Returns a part of the key of Inductor's cache."""
            from blockdsl.compiler.compiled_kernel import build_id

            return build_id("torch_compile", "triton")

        @staticmethod
        def reduction_split_factor(
            device: Any, reduction_numel_hint: int, numel_hint: int, inner_reduction: bool
        ) -> int:
            """Returns the number of pieces of a sum."""
            if device.type != "cpu" or config.cpu_backend != "triton":
                split = InductorChoices.reduction_split_factor
                return int(split(device, reduction_numel_hint, numel_hint, inner_reduction))
            return splits(reduction_numel_hint, numel_hint, inner_reduction, _runtime.get_num_threads())

        def triton_kernel_kwargs(
            self, kernel_cls: Any, features: Any, groups: Any, kernel_kwargs: dict[str, Any]
        ) -> dict[str, Any]:
            """Adds the block shape for ordinary kernels on a CPU."""
            if kernel_cls is not cascades.Kernel or V.graph.get_current_device_or_throw().type != "cpu":
                return kernel_kwargs
            tiling = groups[0]
            extents = {
                name: V.graph.sizevars.optimization_hint(size, fallback=ELEMENTS) for name, size in tiling.items()
            }
            if features.is_reduction() and is_shared_or_timed():
                return kernel_kwargs
            if features.contains_op("scan") and not self.is_persistent_scan(features, extents):
                return kernel_kwargs
            # A tiling that the caller asked for has no scores.
            if "r1_" in extents and not kernel_kwargs.get("tiling_scores"):
                return kernel_kwargs
            if features.contains_op("scan"):
                block = {"XBLOCK": power_of_two(extents["x"], SCANNED_ROWS)}
            elif features.contains_op("sort"):
                block = {"XBLOCK": power_of_two(extents["x"], SORTED_ROWS)}
            elif features.is_reduction():
                scores = kernel_kwargs.get("tiling_scores") or {}
                # Of two dimensions of rows, the one with more contiguous reads gets a block of several rows.
                rows = max((name for name in extents if name in "xyz"), key=lambda name: scores.get(name, 0))
                hint = features.get_reduction_hint().name
                # A program does not keep a row of dynamic length.
                length = LONGEST_ROW + 1
                if may_be_persistent(features.reduction_numel):
                    length = extents["r0_"] * extents.get("r1_", 1)
                read = order(scores, rows, length, hint in ("OUTER", "OUTER_TINY"))
                looped = passes(features)
                persistent = kernel_kwargs.get("override_persistent_reduction")
                if persistent is None and (read == "mixed_short" or "r1_" in extents):
                    persistent = True
                elif persistent is None:
                    persistent = read != "mixed" and self.should_use_persistent_reduction(features, False)
                    if read == "inner" and not persistent and length <= LONGEST_ROW:
                        persistent = is_row_persistent(extents[rows], length, looped)
                    if read == "outer" and not persistent:
                        persistent = is_column_persistent(extents[rows], length, looped, kinds(features))
                block = reduction(extents, rows, read, persistent, looped, _runtime.get_num_threads(), minimum)
                kernel_kwargs = {**kernel_kwargs, "override_persistent_reduction": persistent}
            else:
                along = {name: extent for name, extent in extents.items() if name in "xyz"}
                block = pointwise(along, kernel_kwargs.get("tiling_scores") or {})
            return {**kernel_kwargs, "fixed_config": FixedTritonConfig({"num_warps": 1, "num_stages": 1, **block})}

        def is_persistent_scan(self, features: Any, extents: Mapping[str, int]) -> bool:
            """Returns whether a program holds its rows, all along one dimension."""
            persistent: bool = self.should_use_persistent_reduction(features, False)
            return persistent and set(extents) == {"x", "r0_"}

    def may_be_persistent(length: Any) -> bool:
        is_short: bool = V.graph.sizevars.statically_known_leq(length, LONGEST_ROW)
        return config.triton.persistent_reductions and is_short

    def kinds(features: Any) -> set[str]:
        """Returns the kinds of a kernel's reductions by Inductor's names."""
        return {node.node.get_reduction_type() for node in features.reduction_nodes()}

    def passes(features: Any) -> int:
        """Returns how often a kernel reads its rows: once in each of its loops. A variance consists of two sums."""
        transitions = itertools.pairwise([EnableReduction, *features.node_schedule])
        loops = sum(previous is EnableReduction and node is not DisableReduction for previous, node in transitions)
        return loops + ("welford_reduce" in kinds(features))

    return Choices()
