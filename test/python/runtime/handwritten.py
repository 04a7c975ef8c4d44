"""Kernels for tests of the launch path: a signature in Python, a body in LLVM IR (kernels/*.ll).

The launcher, the thread pool and the cache are tested with these rather than with compiled kernels, so that a failing
test shows a defect in one of these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import blockdsl
import blockdsl.language as tl
from blockdsl.compiler import cpu_kernel as kernel_module
from blockdsl.compiler import stages
from blockdsl.compiler.aliases import Aliases
from blockdsl.compiler.options import Options
from blockdsl.compiler.program import SourceProgram
from blockdsl.compiler.target import Target
from blockdsl.frontend.source import Specialization

_HERE = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class HandwrittenProgram(SourceProgram):
    """A kernel whose module is LLVM IR already."""

    written: tuple[int, ...] = ()
    scratch_bytes: int = 0

    def module(self, context: Any) -> Any:
        text = (_HERE / f"{self.name}.ll").read_text()
        return stages.Lowered(text, Options(), stages.Accesses(self.written), self.scratch_bytes)


_through_passes = stages.lower
_NO_ALIASES = Aliases()


def _lower(
    make: Callable[[Any], Any],
    target: Target,
    options: Options,
    watch: stages.Watch,
    aliases: Aliases = _NO_ALIASES,
    **more: Any,
) -> stages.Lowered:
    """Replaces the compiler's function for handwritten programs, which need no lowering."""
    if not isinstance(getattr(make, "__self__", None), HandwrittenProgram):
        return _through_passes(make, target, options, watch, aliases, **more)
    lowered: stages.Lowered = make(None)
    watch("llir", lambda: lowered.llvm_ir)
    return replace(lowered, options=aliases.settle(options, lowered.accesses.written))


stages.lower = _lower


@dataclass
class Compiled:
    """One compilation that a kernel requested."""

    specialization: Specialization
    options: Options


@dataclass
class Record:
    """The compilations that a kernel has requested so far."""

    compiled: list[Compiled] = field(default_factory=list)


class HandwrittenKernel(blockdsl.JITFunction):
    """Launches like other kernels, and records its compilations."""

    def __init__(self, fn: Callable[..., Any], written: Sequence[int], scratch_bytes: int = 0, **options: Any) -> None:
        super().__init__(fn, **options)
        self.written = tuple(written)
        self.scratch_bytes = scratch_bytes
        self.record = Record()

    def _compile_program(self, program: SourceProgram, options: Options, aliases: Aliases) -> blockdsl.CompiledKernel:
        by_hand = HandwrittenProgram(self.source, program.specialization, self.written, self.scratch_bytes)
        kernel = kernel_module.compile_kernel(by_hand, options, aliases)
        self.record.compiled.append(Compiled(program.specialization, kernel.options))
        return kernel


def handwritten(written: Sequence[int], scratch_bytes: int = 0, **options: Any) -> Any:
    """Decorates like ``@blockdsl.jit``, for a function whose body is in ``kernels/``."""
    return lambda fn: HandwrittenKernel(fn, written, scratch_bytes, **options)


def make_add(**options: Any) -> HandwrittenKernel:
    """Returns a new kernel for each test, so that its compilations are known."""

    @handwritten(written=[2], **options)
    def add(x, y, out, n, BLOCK: tl.constexpr = 64): ...

    return add


@handwritten(written=[0])
def spin(counts, n): ...


@handwritten(written=[0])
def follow(marks, looks): ...


@handwritten(written=[])
def check(x, limit): ...


@handwritten(written=[0])
def show(out, value): ...


@handwritten(written=[0], scratch_bytes=128 << 10)
def scratch(out): ...


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Returns true if a condition becomes true within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.001)
    return False
