"""The same programs on a GPU: stock Triton says what they mean, ours on the GPU and on the CPU has to agree.

What differs by intention is not drawn for a GPU, or not compared: see ``UNLIKE``. The bounds of floats are the
interpreter's; what it does not know exactly, it does not know here either.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

import blockdsl
from blockdsl.language.op import Op
from blockdsl.language.tensor import tensor

from . import judge, values
from .bounded import AmbiguousError, error_of, wide, with_error
from .bounds import BoundedInterpreter
from .judge import Difference, Expected, Verdict
from .program import Program, Tensor

UNLIKE = frozenset({"rounding", "device_function", "described", "stored_by_descriptor", "rows_gathered",
                    "rows_scattered", "shift", "expected_zeros", "through_block_pointers",
                    "updated_atomically", "exchanged", "accessed_atomically", "polled",
                    "updated_by_descriptor"})  # fmt: skip
"""Kinds of statements that are not drawn: 8-bit floats that it lacks, descriptors that need an allocator, shifts by
more than the width, which Triton leaves open, and what Triton 3.6 or 3.9 has not. In the others, what is open is drawn
in another way for a GPU."""


class OnGPU(judge.Arguments):
    """In the GPU's memory, each with room around it whose bytes are known."""

    ROOM = 4096

    def __init__(self, program: Program) -> None:
        self.wholes: dict[str, Any] = {}
        super().__init__(program)

    def place(self, tensor: Tensor) -> Any:
        data = torch.from_numpy(judge.initial(tensor).view("uint8").copy())
        whole = torch.full((data.numel() + 2 * self.ROOM,), 0xA5, dtype=torch.uint8)
        whole[self.ROOM : self.ROOM + data.numel()] = data
        self.wholes[tensor.name] = whole = whole.to("cuda")
        return whole[self.ROOM : self.ROOM + data.numel()].view(getattr(torch, values.torch_name(tensor.kind)))

    def data(self, name: str, kind: str) -> tuple[Any, bool]:
        """An argument's elements afterwards, and whether the room around them is as it was."""
        whole = self.wholes[name].cpu().numpy()
        beside = (whole[: self.ROOM] == 0xA5).all() and (whole[-self.ROOM :] == 0xA5).all()
        return whole[self.ROOM : -self.ROOM].view(values.storage(kind)), bool(beside)


class FlushingInterpreter(BoundedInterpreter):
    """Leaves open what functions with a jump or a pole at zero give for denormal numbers, zeros to those of a GPU, and
    what integers beyond f16 are in it: not infinite once widened, where LLVM sees few bits of them."""

    JUMPS = frozenset({"rsqrt", "log", "log2", "ceil", "floor"})

    def run(self, op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        result = super().run(op, args, kwargs)
        if not isinstance(result, tensor):
            return result
        if op.name in self.JUMPS and result.dtype.is_fp32():
            is_open = (wide(args[0]) > 0) & (wide(args[0]) < 2.0**-126)
        elif op.name == "cast" and result.dtype.is_fp16() and args[0].dtype.is_int():
            is_open = np.isinf(np.asarray(result.handle, np.float64))
        else:
            return result
        error = error_of(result)
        return with_error(result, np.where(is_open, np.inf, 0.0 if error is None else error))


def meaning(program: Program) -> dict[str, Expected]:
    """What a program means to a GPU. Raises AmbiguousError where that is open."""
    return judge.meaning(program, mode=FlushingInterpreter)


def launched(program: Program, library: str) -> dict[str, tuple[Any, bool]]:
    """What a library's compiled kernel leaves in memory."""
    buffers = OnGPU(program)
    kernel = judge.kernel_of(program, library=library)
    kernel[program.grid](**buffers.arguments)
    torch.cuda.synchronize()
    return {each.name: buffers.data(each.name, each.kind) for each in judge.bases(program)}


def interpreted(program: Program) -> dict[str, tuple[Any, bool]]:
    """In the place of a GPU's results, where there is none: what tests give to ``compare_all``."""
    return {name: (each.data.copy(), True) for name, each in meaning(program).items()}


def compare_all(program: Program, expected: dict[str, Expected], stock: Any, ours: Any) -> Difference | None:
    """The first difference between what stock Triton left, what ours left, and what the interpreter says.

    Args:
        program: The program.
        expected: The interpreter's results and bounds.
        stock: Each argument's elements afterwards, by stock Triton, and whether the room around them is untouched.
        ours: The same by ours on the GPU.
    """
    for each in judge.bases(program):
        meant = expected[each.name]
        (theirs, _), (got, beside) = stock[each.name], ours[each.name]
        if not beside:
            return Difference("outside", f"beside {each.name} was written on the GPU", each.name)
        # Approximate functions of a GPU give zero for what is denormal, and for what they make of it, which erf makes
        # larger; its exponential rounds a product first: half a unit of 88 log2(e) is 64 of the result's.
        off = np.where(meant.error > 0, 8 * meant.error + 2.0**-125, 0.0)
        meant = Expected(meant.kind, meant.data, meant.written, off)
        as_stock = Expected(each.kind, theirs, meant.written, 2 * meant.error)
        difference, theirs_alone = judge.compare(each.name, got, as_stock), judge.compare(each.name, theirs, meant)
        # Ours may be right where Triton is not, which before 3.9 reduces what was permuted by the wrong lanes.
        if difference is not None and (theirs_alone is None or judge.compare(each.name, got, meant) is not None):
            difference.text = f"ours on the GPU, and stock Triton: {difference.text}"
            return difference
        if theirs_alone is not None:
            return Difference("meaning", f"stock Triton, and the interpreter: {theirs_alone.text}", each.name)
    return None


def run(program: Program, phase: Any = lambda name: None) -> Verdict:
    """Runs a program with stock Triton and with ours on the GPU, and interpreted, and compiled on the CPU."""
    os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(os.environ.get("TMPDIR", "/tmp"), f"fuzz-{os.getpid()}"))
    phase("interpret")
    try:
        expected = meaning(program)
    except AmbiguousError as error:
        return Verdict(ambiguous=str(error))
    phase("stock Triton")
    try:
        stock = launched(program, "triton")
    except Exception as error:
        # What stock Triton refuses is not ours to judge.
        said = f"stock Triton: {type(error).__name__}: {str(error)[:200]}"
        return Verdict(ambiguous=said, worn="CUDA error" in said)
    phase("ours on the GPU")
    try:
        ours = launched(program, "blockdsl")
    except blockdsl.errors.BlockdslError as error:
        return Verdict(Difference("refused", f"ours on the GPU: {type(error).__name__}: {error}"))
    except RuntimeError as error:
        return Verdict(Difference("crash", f"ours on the GPU: {error}"), worn=True)
    difference = compare_all(program, expected, stock, ours)
    if difference is not None:
        return Verdict(difference)
    return judge.judge(program, phase)
