"""Runs a program, compiled on one thread and on all, and compares it with the interpreter's results.

The memory of every argument is between inaccessible pages, next to the one before it or the one after it, by the seed
of its data: testing both would compile every kernel twice, because the divisibility of its pointers differs.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import blockdsl
from blockdsl import _runtime, interpreter
from blockdsl.language import numerics
from blockdsl.tools.tensor_descriptor import TensorDescriptor
from guarded import Guarded

from . import values
from .bounded import AmbiguousError
from .bounds import BoundedInterpreter
from .program import Argument, Descriptor, Line, Number, Program, Tensor


@dataclass
class Difference:
    """A difference between a program's results and the expected ones.

    Attributes:
        kind: ``value``, ``untouched``, ``outside``, ``dropped``, ``refused``, ``crash`` or ``hang``.
        text: A description.
        argument: The name of the argument with the difference.
    """

    kind: str
    text: str
    argument: str = ""

    def resembles(self, other: Difference) -> bool:
        """Returns true if both may have one cause: two crashes do if they end in the same assertion."""
        texts = self.text, other.text
        assertions = [re.findall(r"Assertion .*|LLVM ERROR.*|^SIG\w+", text)[:1] for text in texts]
        return self.kind == other.kind and (self.kind != "crash" or assertions[0] == assertions[1])


@dataclass
class Expected:
    """The interpreter's result for one argument in memory.

    Attributes:
        data: Its elements afterwards, as in memory.
        written: Which of them are stored to.
        error: The permitted error of each element.
    """

    kind: str
    data: Any
    written: Any
    error: Any


@dataclass
class Verdict:
    """The outcome of a program.

    Attributes:
        difference: None if all results are right.
        ambiguous: Why it could not be compared.
        lanes: How many elements were compared exactly, within bounds, and not at all.
        worn: The process cannot continue, because a GPU's memory faulted.
    """

    difference: Difference | None = None
    ambiguous: str | None = None
    lanes: tuple[int, int, int] = (0, 0, 0)
    worn: bool = False


def kernel_of(program: Program, *, library: str = "blockdsl") -> Any:
    """Returns the compiled function of a program's text."""
    text, name = program.source(library=library), f"<program {program.seed} {library}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, name, "exec"), names)
    return names["kernel"]


def launch_argument(argument: Argument, tensors: dict[str, Any]) -> Any:
    """Returns an argument of a launch that has no memory of its own."""
    if isinstance(argument, Number):
        return argument.value
    assert isinstance(argument, Descriptor)
    return TensorDescriptor(tensors[argument.base], argument.shape, argument.strides, argument.block, argument.padding)


class Arguments:
    """The arguments of a launch, with tensors that ``allocate`` allocates."""

    def __init__(self, program: Program) -> None:
        self.tensors: dict[str, Any] = {}
        self.arguments: dict[str, Any] = {}
        for argument in program.arguments:
            if not isinstance(argument, Tensor):
                self.arguments[argument.name] = launch_argument(argument, self.tensors)
                continue
            if argument.view is None:
                tensor = self.allocate(argument)
            else:
                base, offset = argument.view
                tensor = self.tensors[base][offset:]
            self.tensors[argument.name] = self.arguments[argument.name] = tensor

    def allocate(self, tensor: Tensor) -> Any:
        """Returns a tensor with its initial elements, in memory of its own."""
        raise NotImplementedError


class Buffers(Arguments):
    """Arguments in memory between inaccessible pages."""

    def __init__(self, program: Program) -> None:
        self.guards: dict[str, Guarded] = {}
        super().__init__(program)

    def allocate(self, tensor: Tensor) -> Any:
        guard = self.guards[tensor.name] = Guarded(initial(tensor), at_end=tensor.at_end)
        dtype = getattr(torch, values.torch_name(tensor.kind))
        return torch.frombuffer(guard.map, dtype=dtype, count=tensor.count, offset=guard.offset)

    def data(self, argument: Tensor) -> Any:
        return self.guards[argument.name].array.view(values.storage(argument.kind))


def initial(argument: Tensor) -> Any:
    """Returns an argument's elements before the launch."""
    return values.array_of(argument.kind, argument.recipe, argument.seed, argument.count)


def bases(program: Program) -> list[Tensor]:
    """Returns the arguments with memory of their own."""
    return [argument for argument in program.arguments if isinstance(argument, Tensor) and argument.view is None]


def meaning(
    program: Program, kernel: Any = None, mode: type[BoundedInterpreter] = BoundedInterpreter
) -> dict[str, Expected]:
    """Returns an interpreter's results of a program, or of its kernel. Raises AmbiguousError if they are undefined."""
    buffers = Buffers(program)
    kernel = kernel or kernel_of(program)
    memory = interpreter.run(kernel.source, buffers.arguments, program.grid, mode).memory
    expected = {}
    for argument in bases(program):
        data = buffers.data(argument).copy()
        start, size = buffers.guards[argument.name].array.ctypes.data, data.itemsize
        stored = memory.stored.get(start)  # type: ignore[attr-defined]
        written = np.zeros(data.size, bool) if stored is None else stored[::size] >= 0
        errors = memory.errors.get(start)  # type: ignore[attr-defined]
        error = np.zeros(data.size) if errors is None else errors[::size]
        expected[argument.name] = Expected(argument.kind, data, written, error)
    return expected


def bits(elements: Any) -> Any:
    """Returns elements as integers, so that a NaN equals itself."""
    return elements.view(f"u{elements.dtype.itemsize}")


def compare(name: str, actual: Any, expected: Expected) -> Difference | None:
    """Returns the first difference between an argument's elements and the expected ones."""
    unequal = np.flatnonzero(bits(actual) != bits(expected.data))
    if not unequal.size:
        return None
    untouched = unequal[~expected.written[unequal]]
    if untouched.size:
        at = untouched[0]
        return Difference("untouched", f"{name}[{at}] is not stored to, and changed from {expected.data[at]} to "
                          f"{actual[at]}; {untouched.size} such elements", name)  # fmt: skip
    kind = values.KINDS[expected.kind]
    error = expected.error[unequal]
    got, reference = (numerics.load(array[unequal], kind) for array in (actual, expected.data))
    if kind.is_floating():
        got, reference = got.astype(np.float64), reference.astype(np.float64)
        with np.errstate(all="ignore"):
            is_close = np.abs(got - reference) <= error
        right = (np.isnan(got) & np.isnan(reference)) | np.isinf(error) | ((error > 0) & is_close)
    else:
        right = np.isinf(error)
    wrong = np.flatnonzero(~right)
    if not wrong.size:
        return None
    at = wrong[0]
    bound = f" within {error[at]:.3g}" if error[at] else ""
    text = f"{name}[{unequal[at]}] is {got[at]!r}, expected {reference[at]!r}{bound}; "
    return Difference("value", text + f"{wrong.size} of {expected.data.size} elements differ", name)


def volatile_loads(program: Program) -> int:
    """Returns how many loads of a program's own body are volatile and unmasked."""
    lines = [line for line in program.body if isinstance(line, Line)]
    return sum("volatile=True" in line.text and "mask=" not in line.text for line in lines)


def judge(program: Program, phase: Any = lambda name: None) -> Verdict:
    """Runs a program in all modes, and compares the results.

    Args:
        program: The program.
        phase: Called with the name of each step, to report the one in which the process ends.
    """
    phase("interpret")
    kernel = kernel_of(program)
    try:
        expected = meaning(program, kernel)
    except AmbiguousError as error:
        return Verdict(ambiguous=str(error))
    phase("compile")
    for threads in (1, 0):
        buffers = Buffers(program)
        _runtime.set_num_threads(threads)
        try:
            compiled = kernel[program.grid](**buffers.arguments)
        except blockdsl.errors.BlockdslError as error:
            return Verdict(Difference("refused", f"{type(error).__name__}: {error}"))
        phase("compare")
        for argument in bases(program):
            mode = "one thread" if threads == 1 else "all threads"
            try:
                buffers.guards[argument.name].check(argument.name)
            except AssertionError as error:
                return Verdict(Difference("outside", f"{error} ({mode})", argument.name))
            difference = compare(argument.name, buffers.data(argument), expected[argument.name])
            if difference is not None:
                difference.text += f" ({mode})"
                return Verdict(difference)
    volatile_count = volatile_loads(program)
    if volatile_count and (count := compiled.asm["llir"].count("load volatile")) < volatile_count:
        return Verdict(Difference("dropped", f"{count} volatile loads are left of {volatile_count}"))
    return Verdict(lanes=lanes(expected))


def lanes(expected: dict[str, Expected]) -> tuple[int, int, int]:
    """Returns how many stored elements are known exactly, within bounds, and not at all."""
    exact = bounded = unknown = 0
    for result in expected.values():
        error = result.error[result.written]
        exact += int((error == 0).sum())
        unknown += int(np.isinf(error).sum())
        bounded += int(((error > 0) & ~np.isinf(error)).sum())
    return exact, bounded, unknown
