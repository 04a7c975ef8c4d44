"""The same programs on a GPU: stock Triton's results are the reference for ours on the GPU and on the CPU.

Ops that differ by intention are not drawn for a GPU, or not compared: see ``UNSUPPORTED``. The error bounds of floats
are those of the interpreter.
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
from blockdsl.language.types import int16

from . import judge, values
from .bounded import AmbiguousError, error_of, rounding, unit, wide, with_error
from .bounds import BoundedInterpreter
from .judge import Difference, Expected, Verdict
from .program import Program, Tensor

UNSUPPORTED = frozenset({"rounding", "device_function", "described", "stored_by_descriptor", "rows_gathered",
                    "rows_scattered", "shift", "expected_zeros", "through_block_pointers",
                    "updated_atomically", "exchanged", "accessed_atomically", "polled",
                    "updated_by_descriptor"})  # fmt: skip
"""Kinds of statements that are not drawn: 8-bit floats that a GPU lacks, descriptors that need an allocator, shifts by
more than the width, which Triton does not define, and ops that Triton 3.6 or 3.9 lacks. Other undefined operations are
drawn differently for a GPU."""


class OnGPU(judge.Arguments):
    """Arguments in the GPU's memory, each between margins with known bytes."""

    MARGIN = 4096

    def __init__(self, program: Program) -> None:
        self.allocations: dict[str, Any] = {}
        super().__init__(program)

    def allocate(self, tensor: Tensor) -> Any:
        data = torch.from_numpy(judge.initial(tensor).view("uint8").copy())
        allocation = torch.full((data.numel() + 2 * self.MARGIN,), 0xA5, dtype=torch.uint8)
        allocation[self.MARGIN : self.MARGIN + data.numel()] = data
        self.allocations[tensor.name] = allocation = allocation.to("cuda")
        return allocation[self.MARGIN : self.MARGIN + data.numel()].view(getattr(torch, values.torch_name(tensor.kind)))

    def data(self, name: str, kind: str) -> tuple[Any, bool]:
        """Returns an argument's elements afterwards, and whether its margins are unchanged."""
        allocation = self.allocations[name].cpu().numpy()
        is_margin_untouched = (allocation[: self.MARGIN] == 0xA5).all() and (allocation[-self.MARGIN :] == 0xA5).all()
        return allocation[self.MARGIN : -self.MARGIN].view(values.storage(kind)), bool(is_margin_untouched)


def _denormal(args: Sequence[Any], result: tensor) -> Any:
    """A GPU's approximate functions treat denormals as zero, where these functions jump or rise without limit."""
    flushed = (wide(args[0]) > 0) & (wide(args[0]) < 2.0**-126)
    return np.where(flushed & result.dtype.is_fp32(), np.inf, 0.0)


def _wider(args: Sequence[Any], result: tensor) -> Any:
    """Integers in f16 are rounded later, and do not overflow, if they are added to a value that is wider on a GPU."""
    if not (result.dtype.is_fp16() and args[0].dtype.is_int()):
        return None
    rounded = np.where(wide(args[0]) == wide(result), 0.0, rounding(result))
    return np.where(np.isinf(wide(result)), np.inf, rounded)


def _smallest_int16(args: Sequence[Any], result: tensor) -> Any:
    """A GPU's assembler widens negated 16-bit integers as if the smallest one had a negation."""
    return np.where(np.asarray(result.handle) == -(2**15), np.inf, 0.0) if result.dtype == int16 else None


def _divided(args: Sequence[Any], result: tensor) -> Any:
    """A GPU's quotient of float32 is within two units in the last place."""
    is_zero = wide(args[0]) == 0 if isinstance(args[0], tensor) else args[0] == 0
    return np.where(is_zero, 0.0, rounding(result, 4.0))


OPEN = {**dict.fromkeys(("rsqrt", "sqrt", "log", "log2", "ceil", "floor"), _denormal),
        **dict.fromkeys(("truediv", "fdiv"), _divided), "cast": _wider,
        **dict.fromkeys(("abs", "neg", "mul", "sub"), _smallest_int16)}  # fmt: skip
"""Additional errors of ops on a GPU."""


class GPUInterpreter(BoundedInterpreter):
    """The interpreter with the error bounds of a GPU."""

    def __init__(self, grid: tuple[int, int, int]) -> None:
        super().__init__(grid)
        self.products: list[tuple[Any, int]] = []

    def run(self, op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        result = super().run(op, args, kwargs)
        if op.name == "dot":
            self.products.append((result, args[0].shape[-1]))
        if op.name == "add":
            off = self._accumulated(args, result)
        elif op.name in OPEN and isinstance(result, tensor):
            off = OPEN[op.name](args, result)
        else:
            return result
        error = error_of(result)
        return result if off is None else with_error(result, off if error is None else error + off)

    def _accumulated(self, args: Sequence[Any], result: Any) -> Any:
        """Triton starts a matmul with its accumulator, so every step rounds to the precision of that."""
        for product, steps in self.products:
            if any(value is product for value in args) and product.dtype.is_floating():
                return steps * unit(product.dtype) * (wide(result) + 2 * wide(product))
        return None


def meaning(program: Program) -> dict[str, Expected]:
    """Returns a program's expected results on a GPU. Raises AmbiguousError if they are undefined."""
    return judge.meaning(program, mode=GPUInterpreter)


def launched(program: Program, library: str) -> dict[str, tuple[Any, bool]]:
    """Returns the contents of memory after a library's compiled kernel."""
    buffers = OnGPU(program)
    kernel = judge.kernel_of(program, library=library)
    kernel[program.grid](**buffers.arguments)
    torch.cuda.synchronize()
    return {argument.name: buffers.data(argument.name, argument.kind) for argument in judge.bases(program)}


def interpreted(program: Program) -> dict[str, tuple[Any, bool]]:
    """Replaces a GPU's results in tests of ``compare_all``."""
    return {name: (result.data.copy(), True) for name, result in meaning(program).items()}


def compare_all(program: Program, expected: dict[str, Expected], stock: Any, ours: Any) -> Difference | None:
    """Returns the first difference between the results of stock Triton, of ours, and of the interpreter.

    Args:
        program: The program.
        expected: The interpreter's results and bounds.
        stock: Each argument's elements afterwards, by stock Triton, and whether the room around them is untouched.
        ours: The same by ours on the GPU.
    """
    for argument in judge.bases(program):
        reference = expected[argument.name]
        (stock_data, _), (our_data, is_margin_untouched) = stock[argument.name], ours[argument.name]
        if not is_margin_untouched:
            return Difference("outside", f"beside {argument.name} was written on the GPU", argument.name)
        # Approximate functions of a GPU flush denormal operands and results, which erf makes larger; its exponential
        # rounds a product first: half a unit of 88 log2(e) is 64 units of the result.
        off = np.where(reference.error > 0, 8 * reference.error + 2.0**-125, 0.0)
        reference = Expected(reference.kind, reference.data, reference.written, off)
        as_stock = Expected(argument.kind, stock_data, reference.written, 2 * reference.error)
        difference = judge.compare(argument.name, our_data, as_stock)
        stock_difference = judge.compare(argument.name, stock_data, reference)
        # Ours may be right where Triton is wrong: before 3.9 it reduces permuted blocks over the wrong lanes.
        is_ours_wrong = stock_difference is None or judge.compare(argument.name, our_data, reference) is not None
        if difference is not None and is_ours_wrong:
            difference.text = f"ours on the GPU, and stock Triton: {difference.text}"
            return difference
        if stock_difference is not None:
            return Difference("meaning", f"stock Triton, and the interpreter: {stock_difference.text}", argument.name)
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
        # Programs that stock Triton refuses are not compared.
        message = f"stock Triton: {type(error).__name__}: {str(error)[:200]}"
        return Verdict(ambiguous=message, worn="CUDA error" in message)
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
