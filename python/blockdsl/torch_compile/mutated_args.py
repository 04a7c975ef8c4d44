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
        placeholders = [_tensor(described) for described in tensors]
    counts = [max([-1, *indices]) + 1 for indices in (_operand_indices(schema, "i"), _operand_indices(schema, "f"))]
    try:
        args, kwargs = schema.arguments(placeholders, [_INTEGER] * counts[0], [_FLOAT] * counts[1])
        mutated = [_mutated(kernel_below, args, keywords) for kernel_below, keywords in _launches(kernel, args, kwargs)]
    except Exception:  # A heuristic may raise anything. The launch itself reports the error.
        return (True,) * len(tensors)
    return tuple(
        any(any(tensor is argument for argument in arguments) for arguments in mutated) for tensor in placeholders
    )


def _operand_indices(schema: launch_schema.LaunchSchema, letter: str) -> list[int]:
    def indices_in(item: Any) -> list[int]:
        kind, content = item
        if kind in "und":
            return [index for inner in content for index in indices_in(inner)]
        return [content] if kind == letter else []

    return [index for item in (*schema.positional, *(item for _, item in schema.named)) for index in indices_in(item)]


def _tensor(described: str) -> torch.Tensor:
    rank, _, dtype = described.partition(" ")
    return torch.empty((1,) * int(rank), dtype=getattr(torch, dtype.removeprefix("torch.")))


def _launches(kernel: Any, args: list[Any], kwargs: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """Returns the innermost kernel with the keyword arguments of each launch that its decorators may issue."""
    if kernel is names.innermost(kernel):
        return [(kernel, kwargs)]
    if hasattr(kernel, "configs"):
        alternatives = [{**kwargs, **config.all_kwargs()} for config in kernel.configs]
    else:
        alternatives = [kernel.expand(args, kwargs)] if hasattr(kernel, "expand") else [kwargs]
    return [launch for alternative in alternatives for launch in _launches(kernel.fn, args, alternative)]


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
