"""Position of a program in the grid, and loop iterators of kernels."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any

import numpy as np

from ..errors import KernelSyntaxError, expects
from .attributes import i32
from .constexpr import unwrap
from .op import Emitter, Mode, current_mode, op
from .scalars import literal_type, plain
from .tensor import tensor
from .types import int32


def _axis_operands(mode: Mode, axis: Any) -> tuple[int]:
    axis = unwrap(axis)
    expects(
        not isinstance(axis, tensor) and axis in (0, 1, 2),
        f"a grid has the axes 0, 1 and 2, got {axis.type if isinstance(axis, tensor) else axis}",
        hint="write tl.program_id(axis=0)",
    )
    return (int(axis),)


@op(operands=_axis_operands)
def program_id(axis: int) -> tensor:
    """The position of this program on an axis of the grid, an int32 scalar.

    Raises:
        TypeMismatchError: The axis is not 0, 1 or 2.

    Example:
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    """


@program_id.emit
def _emit_program_id(e: Emitter, axis: int) -> Any:
    return e.create("tt.get_program_id", attributes={"axis": i32(axis)}, result=int32)


@program_id.reference
def _reference_program_id(e: Any, axis: int) -> Any:
    return tensor(np.asarray(e.program[axis], np.int32), int32)


@op(operands=_axis_operands)
def num_programs(axis: int) -> tensor:
    """The number of programs on an axis of the grid, an int32 scalar.

    Raises:
        TypeMismatchError: The axis is not 0, 1 or 2.

    Example:
        for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
            ...
    """


@num_programs.emit
def _emit_num_programs(e: Emitter, axis: int) -> Any:
    return e.create("tt.get_num_programs", attributes={"axis": i32(axis)}, result=int32)


@num_programs.reference
def _reference_num_programs(e: Any, axis: int) -> Any:
    return tensor(np.asarray(e.grid[axis], np.int32), int32)


class range:  # noqa: N801 - Triton's spelling
    """A loop that stays a loop in the compiled kernel. Bounds may be runtime integers.

    Args:
        arg1: The start, or the end if it is the only bound.
        arg2: The exclusive end.
        step: A compile-time step, which may be negative, or a runtime step. A runtime step that is not positive gives
            no iterations.
        num_stages: A hint for GPUs.
        loop_unroll_factor: A hint for the number of iterations to unroll.
        disallow_acc_multi_buffer: A hint for GPUs.
        flatten: A hint for GPUs.
        warp_specialize: A hint for GPUs.
        disable_licm: Do not hoist loop-invariant code.

    Example:
        for k in tl.range(0, K, BLOCK_K, num_stages=3):
            ...
    """

    def __init__(
        self,
        arg1: Any,
        arg2: Any = None,
        step: Any = None,
        num_stages: int | None = None,
        loop_unroll_factor: int | None = None,
        disallow_acc_multi_buffer: bool = False,
        flatten: bool = False,
        warp_specialize: bool = False,
        disable_licm: bool = False,
    ) -> None:
        self.start = 0 if arg2 is None else unwrap(arg1)
        self.end = unwrap(arg1) if arg2 is None else unwrap(arg2)
        self.step = 1 if step is None else unwrap(step)
        self.num_stages = unwrap(num_stages)
        self.loop_unroll_factor = unwrap(loop_unroll_factor)
        self.disallow_acc_multi_buffer = bool(unwrap(disallow_acc_multi_buffer))
        self.flatten = bool(unwrap(flatten))
        self.warp_specialize = bool(unwrap(warp_specialize))
        self.disable_licm = bool(unwrap(disable_licm))

    def __iter__(self) -> Iterator[tensor]:
        """Iterates in the interpreter. The compiler does not use it."""
        mode = current_mode()
        if mode is None or not hasattr(mode, "program"):
            raise KernelSyntaxError("'range' is iterated only by a 'for' statement inside a kernel")
        bounds = (self.start, self.end, self.step)
        kinds = [value.dtype if isinstance(value, tensor) else literal_type(value) for value in bounds]
        wide = max(kinds, key=lambda kind: kind.primitive_bitwidth)
        kind = wide if wide.primitive_bitwidth > 32 else int32
        value, end, step = index(self.start), index(self.end), index(self.step)
        if step <= 0 and isinstance(self.step, tensor):
            return
        while (value < end) if step > 0 else (value > end):
            yield tensor(np.asarray(value, kind.carrier), kind)  # type: ignore[attr-defined]
            value += step


def builtin_range(*bounds: Any) -> range:
    """Python's ``range`` in a kernel: a ``tl.range`` with one to three bounds and no hints.

    Raises:
        TypeMismatchError: There are no bounds, or more than three.
    """
    expects(bool(bounds), "range expected at least 1 argument, got 0")
    expects(
        len(bounds) <= 3,
        f"range expected at most 3 arguments, got {len(bounds)}",
        hint="tl.range takes hints for the compiler by name",
    )
    return range(*bounds)


class static_range:  # noqa: N801 - Triton's spelling
    """A loop that is unrolled while the kernel is compiled. All bounds are compile-time integers.

    Raises:
        TypeMismatchError: A bound is known only at run time.

    Example:
        for i in tl.static_range(4):
            total += tl.load(x_ptr + i)
    """

    def __init__(self, arg1: Any, arg2: Any = None, step: Any = None) -> None:
        bounds = [0 if arg2 is None else unwrap(arg1), unwrap(arg1) if arg2 is None else unwrap(arg2)]
        bounds.append(1 if step is None else unwrap(step))
        for bound in bounds:
            got = bound.type if isinstance(bound, tensor) else repr(bound)
            expects(
                isinstance(bound, int),
                f"'static_range' expects compile-time integers, got {got}",
                hint="declare it as `tl.constexpr`, or use tl.range",
            )
        expects(bounds[2] != 0, "'static_range' expects a step other than zero, got 0")
        self.start, self.end, self.step = map(plain, bounds)

    def __iter__(self) -> Iterator[int]:
        step, value = self.step, self.start
        while (value < self.end) if step > 0 else (value > self.end):
            yield value
            value += step


class condition:  # noqa: N801 - Triton's spelling
    """The condition of a ``while`` with hints for the compiler.

    Example:
        while tl.condition(i < n, disable_licm=True):
            ...
    """

    def __init__(self, arg1: Any, disable_licm: bool = False) -> None:
        self.condition = arg1
        self.disable_licm = bool(unwrap(disable_licm))

    def __bool__(self) -> bool:
        return bool(self.condition)
