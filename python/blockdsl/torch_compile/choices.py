"""The shapes of Inductor's blocks for a CPU: one for each kind of kernel, where Inductor would time several.

A block here is no register tile: our passes turn it into loops over vectors. So it is as long as keeps what a program
shares in the nearest cache, and short enough that every thread gets several programs.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

from blockdsl import _runtime

ELEMENTS = 4096
"""Of a block whose elements lie one behind the other."""

SQUARE = 64
"""Extent of a block that is read along one of its dimensions and written along the other."""

TURN = 16
"""Elements of a row that a turn of a loop adds: a line of memory, so that one instruction reads all of them, one behind
the other, which is what a CPU foresees (docs/rationale/torch_compile.md)."""

STREAMS = 4
"""Rows that such a loop reads beside each other: more lines are on their way from memory than one row's."""

ROW = 1 << 17
"""Elements of the longest row that a program holds at once: half of a second cache."""

CACHED = 1 << 22
"""Elements that a cache may hold from one kernel to the next."""

PACKED = 64
"""Elements of rows that are read at once where the rows are short."""

COLUMNS = 256
"""Of a sum over rows: neighbors in memory that a program adds to, a row at a turn of its loop."""

PROGRAMS = 2
"""That each thread gets at least, where it can be chosen."""

CROSSED = 2
"""Ratio of what a sum reads along rows to what it reads across them, from which on its blocks are shaped for one."""

SORTED = 16
"""Rows that are sorted side by side: the lanes of a vector, or of two."""

SHORT = 1 << 16
"""Elements whose sum no second thread would get sooner."""


def power_of_two(number: int, most: int) -> int:
    """The least one that is no less, up to ``most``."""
    return min(most, 1 << max(0, number - 1).bit_length())


def streams(rows: int, threads: int) -> int:
    """How many rows a program reads beside each other: a power of two that leaves enough programs to each thread."""
    possible = max(1, rows // (PROGRAMS * threads))
    return min(STREAMS, 1 << (possible.bit_length() - 1))


def pointwise(extents: Mapping[str, int], scores: Mapping[str, int]) -> dict[str, int]:
    """For elements that depend on no other: ``x`` is the dimension that lies densely. By its score another one may be
    read along, too."""
    if len(extents) == 1 or (scores and not any(scores.get(name, 0) for name in "yz")):
        block, left = {}, ELEMENTS
        for name in sorted(extents):
            block[f"{name.upper()}BLOCK"] = power_of_two(extents[name], left)
            left //= block[f"{name.upper()}BLOCK"]
        return block
    block = {f"{name.upper()}BLOCK": power_of_two(extent, SQUARE) for name, extent in extents.items()}
    return {**block, "ZBLOCK": 1} if "z" in extents else block


def order(scores: Mapping[str, int], rows: str, is_outer: bool) -> str:
    """In which order a reduction for each of ``rows`` reads memory: "inner" is along them, "outer" across them, and
    "crossed" is in either, one tensor so and another so. ``is_outer`` is an answer for one without scores."""
    if not {rows, "r0_"} <= set(scores):
        return "outer" if is_outer else "inner"
    along, across = scores["r0_"], scores[rows]
    if 0 < max(along, across) <= CROSSED * min(along, across):
        return "crossed"
    return "outer" if across > along else "inner"


def reduction(
    extents: Mapping[str, int], rows: str, order: str, is_persistent: bool, passes: int, threads: int, fewest: int = 1
) -> dict[str, int]:
    """For sums and their like over ``r0_``, one after the other for each of ``rows`` and of what is beside it. An outer
    one is of rows: what lies side by side in memory is added to different sums. ``fewest`` rows at a time are read at
    once, if they are short."""
    others = {f"{name.upper()}BLOCK": 1 for name in extents if name not in (rows, "r0_")}
    count, length = extents[rows], extents["r0_"]
    step: dict[str, int] = {}
    if order == "outer":
        block = power_of_two(count, COLUMNS)
        step = {"R0_BLOCK": 1}
    elif order == "crossed":
        block = power_of_two(count, TURN)
        step = {"R0_BLOCK": power_of_two(length, TURN)}
    elif not is_persistent:
        # A row that is read again finds its second cache full of the others.
        block = streams(count, threads) if passes == 1 else 1
        step = {"R0_BLOCK": power_of_two(length, TURN)}
    else:
        # Short rows several at a time.
        block = max(fewest, power_of_two(count, max(fewest, PACKED // power_of_two(length, PACKED))))
    return {**others, f"{rows.upper()}BLOCK": block, **({} if is_persistent else step)}


def holds_row(rows: int, length: int, passes: int) -> bool:
    """Whether a program holds its row of a sum, which is read once then, and nothing that is made of it is stored
    between two sums. What is added up in one pass, as it comes from memory, is read a line at a time."""
    return length <= ROW and (passes > 1 or length % TURN != 0 or rows * length <= CACHED)


def splits(length: int, outputs: int, is_inner: bool, threads: int) -> int:
    """Into how many pieces a sum of ``length`` elements is cut, of which there are ``outputs``."""
    programs = outputs if is_inner else -(-outputs // COLUMNS)
    if programs >= PROGRAMS * threads or length * outputs <= SHORT:
        return 1
    wanted = -(-4 * threads // programs)
    return max(1, min(wanted, length * outputs // SHORT, length // 2))


@functools.cache
def choices() -> Any:
    """An instance of Inductor's class of choices that makes ours, for kernels on a CPU."""
    from torch._inductor import config
    from torch._inductor.choices import InductorChoices
    from torch._inductor.codegen.simd_kernel_features import DisableReduction, EnableReduction
    from torch._inductor.codegen.triton import FixedTritonConfig
    from torch._inductor.virtualized import V

    from blockdsl.torch_compile import cascades, versions

    # Before torch 2.13 Inductor drops the dimension of rows where there is one, and then looks for it.
    fewest = 2 if versions.IS_BEFORE_2_13 else 1

    class Choices(InductorChoices):
        """What is not said here is Inductor's own choice."""

        def uuid(self) -> str:
            """For the key of Inductor's cache."""
            from blockdsl.compiler.compiled_kernel import build_id

            return build_id("torch_compile", "triton")

        @staticmethod
        def reduction_split_factor(
            device: Any, reduction_numel_hint: int, numel_hint: int, inner_reduction: bool
        ) -> int:
            """Into how many pieces a sum is cut."""
            if device.type != "cpu" or config.cpu_backend != "triton":
                split = InductorChoices.reduction_split_factor
                return int(split(device, reduction_numel_hint, numel_hint, inner_reduction))
            return splits(reduction_numel_hint, numel_hint, inner_reduction, _runtime.get_num_threads())

        def triton_kernel_kwargs(
            self, kernel_cls: Any, features: Any, groups: Any, kernel_kwargs: dict[str, Any]
        ) -> dict[str, Any]:
            """Adds the shape of the blocks, where the kernel is an ordinary one for a CPU."""
            if kernel_cls is not cascades.Kernel or V.graph.get_current_device_or_throw().type != "cpu":
                return kernel_kwargs
            tiling = groups[0]
            extents = {
                name: V.graph.sizevars.optimization_hint(size, fallback=ELEMENTS) for name, size in tiling.items()
            }
            if "r1_" in extents or features.contains_op("scan"):
                return kernel_kwargs
            if features.is_reduction() and (config.triton.force_cooperative_reductions or config.triton.multi_kernel):
                # Inductor knows how many programs share one, and what it times; a CPU has such only if it is told to.
                return kernel_kwargs
            if features.contains_op("sort"):
                block = {"XBLOCK": power_of_two(extents["x"], SORTED)}
            elif features.is_reduction():
                scores = kernel_kwargs.get("tiling_scores") or {}
                # Of two dimensions of rows, those along which more is read are beside each other.
                rows = max((name for name in extents if name in "xyz"), key=lambda name: scores.get(name, 0))
                hint = features.get_reduction_hint().name
                read = order(scores, rows, hint in ("OUTER", "OUTER_TINY"))
                looped = passes(features)
                persistent = kernel_kwargs.get("override_persistent_reduction")
                if persistent is None:
                    persistent = read != "crossed" and self.should_use_persistent_reduction(features, False)
                    if read == "inner" and not persistent and may_hold(features.reduction_numel):
                        persistent = holds_row(extents[rows], extents["r0_"], looped)
                block = reduction(extents, rows, read, persistent, looped, _runtime.get_num_threads(), fewest)
                kernel_kwargs = {**kernel_kwargs, "override_persistent_reduction": persistent}
            else:
                along = {name: extent for name, extent in extents.items() if name in "xyz"}
                block = pointwise(along, kernel_kwargs.get("tiling_scores") or {})
            return {**kernel_kwargs, "fixed_config": FixedTritonConfig({"num_warps": 1, "num_stages": 1, **block})}

    def may_hold(length: Any) -> bool:
        known: bool = V.graph.sizevars.statically_known_leq(length, ROW)
        return config.triton.persistent_reductions and known

    def passes(features: Any) -> int:
        """How often a kernel goes through its rows: once in each of its loops. A variance is made of two sums."""
        kinds = {each.node.get_reduction_type() for each in features.reduction_nodes()}
        begun = itertools.pairwise([EnableReduction, *features.node_schedule])
        loops = sum(before is EnableReduction and each is not DisableReduction for before, each in begun)
        return loops + ("welford_reduce" in kinds)

    return Choices()
