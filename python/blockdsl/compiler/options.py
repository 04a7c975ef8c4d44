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
"""Gives an option's value as it is used, or raises TargetError."""


@dataclass(frozen=True)
class Options:
    """One variant of a kernel for the CPU.

    Attributes:
        disjoint: The pointer arguments span bytes of their own; else nothing is assumed of them.
        merged: For each run-time parameter the first one with the same pointer, which stands for it; empty when each is
            its own.
        streaming: Whole-vector stores bypass the caches.
        fp_fusion: A multiplication and an addition may become one operation.
        sequential: A launch runs on one thread, and no other thread accesses its memory meanwhile: atomics are plain.
    """

    disjoint: bool = True
    merged: tuple[int, ...] = ()
    streaming: bool = False
    fp_fusion: bool = True
    sequential: bool = False

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
            f" streaming-stores={str(self.streaming).lower()} fp-fusion={str(self.fp_fusion).lower()}"
            f" sequential={str(self.sequential).lower()}}}"
        )


@dataclass(frozen=True)
class CUDAOptions:
    """Triton's options, under Triton's names.

    Attributes:
        num_warps: Warps of 32 threads that run one program.
        num_stages: Turns of a loop that are in flight at a time.
        num_ctas: Thread blocks of a cluster that run one program.
        maxnreg: Registers a thread may use; None leaves it to the assembler.
        enable_fp_fusion: A multiplication and an addition may become one operation; ``knobs.language`` has the default.
        debug: ``device_assert`` is checked.
        launch_pdl: A launch may begin before the one in front of it has ended.
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
        """Tells these options from others."""
        return cache.digest("options", repr(self))

    @staticmethod
    def of(given: Mapping[str, object]) -> CUDAOptions:
        """The options of a launch, which may name others too; None is as good as absent.

        Raises:
            TargetError: A value that no target has. The CPU refuses the same, though most options mean nothing to it:
                a program that runs on one then runs on the other.
        """
        known = {name: _plain(value) for name, value in given.items() if name in CUDA_DEFAULTS and value is not None}
        checked: dict[str, Any] = {name: _CHECKS.get(name, _flag)(name, value) for name, value in known.items()}
        checked["enable_fp_fusion"] = knobs.language.fp_fusion_enabled(checked.get("enable_fp_fusion"))
        return CUDAOptions(**checked)

    def check(self, target: CUDA) -> None:
        """Raises TargetError for what the target does not have."""
        if self.num_ctas > 1 and target.capability < 90:
            raise TargetError(f"num_ctas={self.num_ctas} needs a GPU of capability 90 or later, got {target}",
                              hint="leave num_ctas at 1")  # fmt: skip


CUDA_DEFAULTS = {field.name: field.default for field in fields(CUDAOptions)}

# Options that compile other code for any target, with their defaults.
KEYED: Mapping[str, object] = {"enable_fp_fusion": None}
# Options of GPUs: accepted, so that a Triton program runs as it is, and without effect on a CPU.
GPU_OPTIONS = tuple(name for name in CUDA_DEFAULTS if name not in KEYED)
# Options of other vendors' targets, which configurations of kernels for all of them have: without effect.
IGNORED = (
    "warp_size", "waves_per_eu", "matrix_instr_nonkdim", "kpack", "schedule_hint", "grf_mode",
    "num_consumer_groups", "num_buffers_warp_spec", "reg_dec_producer", "reg_inc_consumer",
)  # fmt: skip
# What a launch takes by keyword besides the kernel's parameters, and what of it no CPU looks at.
OPTIONS = frozenset((*KEYED, *GPU_OPTIONS, *IGNORED))
WITHOUT_EFFECT_ON_CPU = frozenset((*GPU_OPTIONS, *IGNORED))


def _plain(value: object) -> object:
    """A number of NumPy, or one marked as constexpr, as Python's."""
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
