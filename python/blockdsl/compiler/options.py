"""Options of a compilation, for each target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from blockdsl import knobs
from blockdsl.compiler import cache
from blockdsl.compiler.target import CUDA, Target
from blockdsl.errors import TargetError
from blockdsl.errors.source_locations import caller
from blockdsl.language.constexpr import unwrap

Check = Callable[[str, object], object]
"""Returns an option's value in its canonical form, or raises TargetError."""


@dataclass(frozen=True)
class Options:
    """One variant of a kernel for the CPU.

    Attributes:
        disjoint: The memory of the pointer arguments does not overlap; without it no aliasing is excluded.
        merged: For each run-time parameter the first one with the same pointer, which replaces it; empty if all
            pointers differ.
        streaming: Whole-vector stores bypass the caches.
        fp_fusion: A multiplication and an addition may become one operation.
        sequential: A launch runs on one thread, and no other thread accesses its memory meanwhile: atomics become
            plain loads and stores.
    """

    disjoint: bool = True
    merged: tuple[int, ...] = ()
    streaming: bool = False
    fp_fusion: bool = True
    sequential: bool = False

    @property
    def alias(self) -> str:
        """The class of aliases as a word for metadata."""
        return "unknown" if not self.disjoint else "merged" if self.merged else "disjoint"

    def pipeline(self, target: Target) -> str:
        """The option text that all CPU pipelines take, as ``blockdsl-opt`` spells it."""
        merged = f" merged={','.join(map(str, self.merged))}" if self.merged else ""
        return (
            f"{{vector-bits={target.vector_bits} features={target.pass_features}"
            f" alias={'disjoint' if self.disjoint else 'unknown'}{merged}"
            f" streaming-stores={str(self.streaming).lower()} fp-fusion={str(self.fp_fusion).lower()}"
            f" sequential={str(self.sequential).lower()}}}"
        )


@dataclass(frozen=True)
class CUDAOptions:
    """Triton's options, under Triton's names.

    Attributes:
        num_warps: Warps of 32 threads that run one program.
        num_stages: Iterations of a loop that are in flight at a time.
        num_ctas: Thread blocks of a cluster that run one program.
        maxnreg: Registers a thread may use; None leaves the choice to the assembler.
        enable_fp_fusion: A multiplication and an addition may become one operation; ``knobs.language`` has the default.
        debug: ``device_assert`` is checked.
        launch_pdl: A launch may begin before the previous one has ended.
        launch_cooperative_grid: All programs of a launch run at the same time.
    """

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    maxnreg: int | None = None
    enable_fp_fusion: bool = True
    debug: bool = False
    launch_pdl: bool = False
    launch_cooperative_grid: bool = False

    def hash(self) -> str:
        """Returns a hash of the options."""
        return cache.digest("options", repr(self))

    @staticmethod
    def of(given: Mapping[str, object]) -> CUDAOptions:
        """Returns the options among a launch's keywords; None means the default.

        Raises:
            TargetError: No target supports a value. The CPU ignores most options but checks all of them, so that
                a program that runs on the CPU has valid options for a GPU.
        """
        known = {name: _plain(value) for name, value in given.items() if name in CUDA_DEFAULTS and value is not None}
        checked: dict[str, Any] = {name: _CHECKS.get(name, _flag)(name, value) for name, value in known.items()}
        checked["enable_fp_fusion"] = knobs.language.fp_fusion_enabled(checked.get("enable_fp_fusion"))
        return CUDAOptions(**checked)

    def check(self, target: CUDA) -> None:
        """Raises TargetError for options that the target does not support."""
        if self.num_ctas > 1 and target.capability < 90:
            raise TargetError(f"num_ctas={self.num_ctas} needs a GPU of capability 90 or later, got {target}",
                              hint="leave num_ctas at 1")  # fmt: skip


CUDA_DEFAULTS = {field.name: field.default for field in fields(CUDAOptions)}

# Options that change the code for every target, with their defaults.
KEYED: Mapping[str, object] = {"enable_fp_fusion": None}
# Options of GPUs. A CPU accepts and ignores them, so that a Triton program runs unchanged.
GPU_OPTIONS = tuple(name for name in CUDA_DEFAULTS if name not in KEYED)
# Options of other vendors' targets, accepted and ignored: configurations of portable kernels contain them.
IGNORED = (
    "warp_size", "waves_per_eu", "matrix_instr_nonkdim", "kpack", "schedule_hint", "grf_mode",
    "num_consumer_groups", "num_buffers_warp_spec", "reg_dec_producer", "reg_inc_consumer",
)  # fmt: skip
# Keywords of a launch besides the kernel's parameters, and those that a CPU ignores.
OPTIONS = frozenset((*KEYED, *GPU_OPTIONS, *IGNORED))
WITHOUT_EFFECT_ON_CPU = frozenset((*GPU_OPTIONS, *IGNORED))


def _plain(value: object) -> object:
    """Converts a NumPy scalar or a constexpr to a plain Python value."""
    value = unwrap(value)
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def _refused(expected: str, name: str, value: object) -> TargetError:
    error = TargetError(f"{name} is {expected}, got {value!r}")
    if isinstance(value, str) and value.strip().isdecimal():
        error.hint = f"write {name}={int(value)}, without quotes"
    error.location = caller()
    return error


def _within(low: int, high: int) -> Check:
    def check(name: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise _refused(f"an integer from {low} to {high}", name, value)
        return value

    return check


def _power_of_two(high: int) -> Check:
    def check(name: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= high or value & (value - 1):
            raise _refused(f"a power of two from 1 to {high}", name, value)
        return value

    return check


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, int) or value not in (0, 1):
        raise _refused("True or False", name, value)
    return bool(value)


_CHECKS: Mapping[str, Check] = {
    "num_warps": _power_of_two(32),
    "num_stages": _within(0, 64),
    "num_ctas": _power_of_two(16),
    "maxnreg": _within(1, 255),
}
