"""Block shapes of Inductor's kernels on a CPU: one for each kind of kernel, where Inductor would time several.

A block is no register tile: our passes turn it into loops over vectors. So a block is as large as the data that a
program reuses fits into the first cache, but small enough that every thread gets several programs.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from typing import Any

from blockdsl import _runtime

ELEMENTS = 4096
"""Elements of a contiguous block."""

SQUARE = 64
"""Extent of both dimensions of a block that is read along one and written along the other."""

TURN = 16
"""Elements of a row that a loop iteration adds: a cache line, so that one instruction reads consecutive lines, which
the hardware prefetcher detects (docs/rationale/torch_compile.md)."""

STREAMS = 4
"""Rows that this loop reads in parallel, so that more loads from memory are in flight than with one row."""

ROW = 1 << 17
"""Elements of the longest row that a program holds at once: half of a second-level cache."""

CACHED = 1 << 22
"""Elements that may remain in a cache from one kernel to the next."""

PACKED = 64
"""Elements of several short rows that are read at once."""

COLUMNS = 256
"""Columns of a program that sums over rows, one row per iteration of its loop."""

PROGRAMS = 2
"""The least number of programs per thread, where it can be chosen."""

CROSSED = 2
"""The largest ratio of a sum's reads along and across rows for which its blocks are shaped for both."""

SHORT_ROW = 256
"""Elements of the longest row of which a program holds several, because tensors are read along it and across it."""

SHORT_CROSSED = 4
"""As ``CROSSED``, for such rows."""

SORTED = 16
"""Rows that are sorted in parallel: the lanes of one or two vectors."""

SCANNED = 16
"""Rows that are scanned in parallel, in one or two squares that are transposed in registers."""

PADDED = 2
"""The largest ratio of a block of two dimensions to the elements that a reduction over both has."""

SHORT = 1 << 16
"""Elements up to which a sum is not faster with a second thread."""


def power_of_two(number: int, most: int) -> int:
    """Returns the least power of two that is not less than ``number``, but at most ``most``."""
    return min(most, 1 << max(0, number - 1).bit_length())


def streams(rows: int, threads: int) -> int:
    """Returns the number of rows that a program reads in parallel: a power of two that leaves enough programs per
    thread."""
    possible = max(1, rows // (PROGRAMS * threads))
    return min(STREAMS, 1 << (possible.bit_length() - 1))


def pointwise(extents: Mapping[str, int], scores: Mapping[str, int]) -> dict[str, int]:
    """Returns the block of a pointwise kernel. ``x`` is the contiguous dimension; a score of another dimension means
    that tensors are contiguous in it."""
    if len(extents) == 1 or (scores and not any(scores.get(name, 0) for name in "yz")):
        block, left = {}, ELEMENTS
        for name in sorted(extents):
            block[f"{name.upper()}BLOCK"] = power_of_two(extents[name], left)
            left //= block[f"{name.upper()}BLOCK"]
        return block
    block = {f"{name.upper()}BLOCK": power_of_two(extent, SQUARE) for name, extent in extents.items()}
    return {**block, "ZBLOCK": 1} if "z" in extents else block


def order(scores: Mapping[str, int], rows: str, length: int, is_outer: bool = False) -> str:
    """Returns the order in which a reduction of ``rows`` reads memory: "inner" is along the rows, "outer" across them,
    "crossed" means that tensors differ, and "held" that they do and a program holds several rows, which are short.
    ``is_outer`` decides if there are no scores."""
    if not {rows, "r0_"} <= set(scores):
        return "outer" if is_outer else "inner"
    along, across = scores["r0_"], scores[rows]
    if length <= SHORT_ROW and 0 < max(along, across) <= SHORT_CROSSED * min(along, across):
        return "held"
    if 0 < max(along, across) <= CROSSED * min(along, across):
        return "crossed"
    return "outer" if across > along else "inner"


def reduction(
    extents: Mapping[str, int], rows: str, order: str, is_persistent: bool, passes: int, threads: int, fewest: int = 1
) -> dict[str, int]:
    """Returns the block of a reduction over ``r0_`` for each of ``rows`` and each index of the other dimensions. An
    outer reduction adds contiguous elements to different sums. At least ``fewest`` rows are read at once if rows are
    short."""
    others = {f"{name.upper()}BLOCK": 1 for name in extents if name in "xyz" and name != rows}
    count, length = extents[rows], extents["r0_"] * extents.get("r1_", 1)
    step: dict[str, int] = {}
    if order == "outer":
        block = power_of_two(count, COLUMNS)
        step = {"R0_BLOCK": 1}
    elif order == "held":
        block = power_of_two(count, max(TURN, ELEMENTS // power_of_two(length, ELEMENTS)))
    elif order == "crossed":
        block = power_of_two(count, TURN)
        step = {"R0_BLOCK": power_of_two(length, TURN)}
    elif not is_persistent:
        # With several passes, further rows would evict a row from the second-level cache before it is read again.
        block = streams(count, threads) if passes == 1 else 1
        step = {"R0_BLOCK": power_of_two(length, TURN)}
    else:
        # Several short rows at once.
        block = max(fewest, power_of_two(count, max(fewest, PACKED // power_of_two(length, PACKED))))
    return {**others, f"{rows.upper()}BLOCK": block, **({} if is_persistent else step)}


def are_held(*extents: int) -> bool:
    """Returns whether a program holds all elements of a reduction over several dimensions in one block."""
    block = math.prod(power_of_two(extent, ROW) for extent in extents)
    return block <= min(ROW, PADDED * math.prod(extents))


def holds_row(rows: int, length: int, passes: int) -> bool:
    """Returns whether a program holds its row in memory of its own, so that several passes read it once and store no
    intermediate values. A single pass over data from memory reads it line by line instead."""
    return length <= ROW and (passes > 1 or length % TURN != 0 or rows * length <= CACHED)


def splits(length: int, outputs: int, is_inner: bool, threads: int) -> int:
    """Returns the number of pieces for each of ``outputs`` sums of ``length`` elements."""
    programs = outputs if is_inner else -(-outputs // COLUMNS)
    if programs >= PROGRAMS * threads or length * outputs <= SHORT:
        return 1
    wanted = -(-4 * threads // programs)
    return max(1, min(wanted, length * outputs // SHORT, length // 2))


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
    fewest = 2 if versions.IS_BEFORE_2_13 else 1

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
            if features.contains_op("scan") and not self.is_held_scan(features, extents):
                return kernel_kwargs
            # A tiling that the caller asked for has no scores.
            if "r1_" in extents and not kernel_kwargs.get("tiling_scores"):
                return kernel_kwargs
            if features.contains_op("scan"):
                block = {"XBLOCK": power_of_two(extents["x"], SCANNED)}
            elif features.contains_op("sort"):
                block = {"XBLOCK": power_of_two(extents["x"], SORTED)}
            elif features.is_reduction():
                scores = kernel_kwargs.get("tiling_scores") or {}
                # Of two dimensions of rows, the one with more contiguous reads gets a block of several rows.
                rows = max((name for name in extents if name in "xyz"), key=lambda name: scores.get(name, 0))
                hint = features.get_reduction_hint().name
                # A dynamic length is not held.
                length = extents["r0_"] * extents.get("r1_", 1) if may_hold(features.reduction_numel) else ROW + 1
                read = order(scores, rows, length, hint in ("OUTER", "OUTER_TINY"))
                looped = passes(features)
                persistent = kernel_kwargs.get("override_persistent_reduction")
                if persistent is None and (read == "held" or "r1_" in extents):
                    persistent = True
                elif persistent is None:
                    persistent = read != "crossed" and self.should_use_persistent_reduction(features, False)
                    if read == "inner" and not persistent and length <= ROW:
                        persistent = holds_row(extents[rows], length, looped)
                block = reduction(extents, rows, read, persistent, looped, _runtime.get_num_threads(), fewest)
                kernel_kwargs = {**kernel_kwargs, "override_persistent_reduction": persistent}
            else:
                along = {name: extent for name, extent in extents.items() if name in "xyz"}
                block = pointwise(along, kernel_kwargs.get("tiling_scores") or {})
            return {**kernel_kwargs, "fixed_config": FixedTritonConfig({"num_warps": 1, "num_stages": 1, **block})}

        def is_held_scan(self, features: Any, extents: Mapping[str, int]) -> bool:
            """Returns whether a program holds its rows, all along one dimension."""
            held: bool = self.should_use_persistent_reduction(features, False)
            return held and set(extents) == {"x", "r0_"}

    def may_hold(length: Any) -> bool:
        known: bool = V.graph.sizevars.statically_known_leq(length, ROW)
        return config.triton.persistent_reductions and known

    def passes(features: Any) -> int:
        """Returns how often a kernel reads its rows: once in each of its loops. A variance consists of two sums."""
        kinds = {each.node.get_reduction_type() for each in features.reduction_nodes()}
        begun = itertools.pairwise([EnableReduction, *features.node_schedule])
        loops = sum(before is EnableReduction and each is not DisableReduction for before, each in begun)
        return loops + ("welford_reduce" in kinds)

    return Choices()
