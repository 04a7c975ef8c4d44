"""Mutated arguments of a recorded launch: the tensors that its kernel stores through.

They are determined from the tt module, which is compiled for placeholder arguments of the same types.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from blockdsl.compiler import stages
from blockdsl.compiler.options import Options
from blockdsl.compiler.program import SourceProgram
from blockdsl.compiler.target import Target
from blockdsl.launcher import arguments
from blockdsl.torch_compile import launch_schema, names

_INTEGER, _FLOAT = 48, 0.5
"""Placeholders of numbers; not 0 or 1, which kernels treat specially."""


def are_mutated(kernel: Any, text: str, tensors: tuple[str, ...]) -> tuple[bool, ...]:
    """Returns for each tensor whether a launch may store through it.

    All are assumed to be mutated if the placeholder launch fails, for example in a heuristic that needs real arguments.

    Args:
        kernel: The kernel, or an autotuner around one.
        text: The launch schema.
        tensors: Number of dimensions and element type of each tensor.
    """
    schema = launch_schema.parse_schema(text)
    with _disable_current_modes():  # Keeps the placeholders out of the graph that a tracer records.
        stand_ins = [_tensor(described) for described in tensors]
    counts = [max([-1, *places]) + 1 for places in (_operand_indices(schema, "i"), _operand_indices(schema, "f"))]
    try:
        args, kwargs = schema.arguments(stand_ins, [_INTEGER] * counts[0], [_FLOAT] * counts[1])
        found = [_mutated(kernel_below, args, given) for kernel_below, given in _launches(kernel, args, kwargs)]
    except Exception:  # A heuristic may raise anything. The launch itself reports the error.
        return (True,) * len(tensors)
    return tuple(any(any(tensor is each for each in one) for one in found) for tensor in stand_ins)


def _operand_indices(schema: launch_schema.LaunchSchema, letter: str) -> list[int]:
    def within(item: Any) -> list[int]:
        kind, what = item
        if kind in "und":
            return [place for inner in what for place in within(inner)]
        return [what] if kind == letter else []

    return [place for item in (*schema.positional, *(item for _, item in schema.named)) for place in within(item)]


def _tensor(described: str) -> torch.Tensor:
    rank, _, dtype = described.partition(" ")
    return torch.empty((1,) * int(rank), dtype=getattr(torch, dtype.removeprefix("torch.")))


def _launches(kernel: Any, args: list[Any], kwargs: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """Returns the innermost kernel with the keyword arguments of each launch that its decorators may issue."""
    if kernel is names.innermost(kernel):
        return [(kernel, kwargs)]
    if hasattr(kernel, "configs"):
        further = [{**kwargs, **config.all_kwargs()} for config in kernel.configs]
    else:
        further = [kernel.expand(args, kwargs)] if hasattr(kernel, "expand") else [kwargs]
    return [launch for given in further for launch in _launches(kernel.fn, args, given)]


def _mutated(kernel: Any, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    """Returns the arguments that the kernel's module stores through."""
    launcher = getattr(kernel, "_reader", kernel)
    values, attributes = launcher._describe(*args, **kwargs)
    specialization = arguments.specialize(kernel.source.parameters, values, attributes, launcher._refuse)
    program = SourceProgram(kernel.source, specialization)
    written = stages.written(program.module, Target.host(), Options())
    signature = program.signature
    flat = arguments.flat(signature.names, signature.tuples, values, attributes)
    at = {number: value for (number, _), (value, _) in zip(signature.places, flat, strict=True)}
    return [launch_schema.base_tensor(at[signature.slots[slot][0]]) for slot in written]
