"""Which tensors a launch stores through, for a graph that is recorded: what torch has to know of an operator.

It is told by the module that the kernel becomes, for arguments that stand for those of the launch.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from blockdsl.compiler import arguments, stages
from blockdsl.compiler.options import Options
from blockdsl.compiler.program import SourceProgram
from blockdsl.compiler.target import Target
from blockdsl.torch_compile import launch_schema, names

_INTEGER, _FLOAT = 48, 0.5
"""What stands for a number: neither one nor zero, which would be constants."""


def stored_through(kernel: Any, text: str, tensors: tuple[str, ...]) -> tuple[bool, ...]:
    """For each tensor whether a launch may store through it.

    Where a launch is going to fail, or its rules want arguments that nothing can stand for, all of them may be.

    Args:
        kernel: What is launched.
        text: The form of the arguments.
        tensors: Number of dimensions and element type of each tensor.
    """
    form = launch_schema.parse_schema(text)
    with _disable_current_modes():  # Tracers' modes: what is made here is part of no graph.
        stand_ins = [_tensor(described) for described in tensors]
    counts = [max([-1, *places]) + 1 for places in (_places(form, "i"), _places(form, "f"))]
    try:
        args, kwargs = form.arguments(stand_ins, [_INTEGER] * counts[0], [_FLOAT] * counts[1])
        found = [_stored(kernel_below, args, given) for kernel_below, given in _launches(kernel, args, kwargs)]
    except Exception:  # Of a rule's too. The launch itself says what is wrong.
        return (True,) * len(tensors)
    return tuple(any(any(tensor is each for each in one) for one in found) for tensor in stand_ins)


def _places(form: launch_schema.LaunchSchema, letter: str) -> list[int]:
    def within(item: Any) -> list[int]:
        kind, what = item
        if kind in "und":
            return [place for inner in what for place in within(inner)]
        return [what] if kind == letter else []

    return [place for item in (*form.positional, *(item for _, item in form.named)) for place in within(item)]


def _tensor(described: str) -> torch.Tensor:
    rank, _, dtype = described.partition(" ")
    return torch.empty((1,) * int(rank), dtype=getattr(torch, dtype.removeprefix("torch.")))


def _launches(kernel: Any, args: list[Any], kwargs: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """The kernel below all layers, with the keyword arguments of each launch that the layers may make of this one."""
    if kernel is names.innermost(kernel):
        return [(kernel, kwargs)]
    if hasattr(kernel, "configs"):
        further = [{**kwargs, **config.all_kwargs()} for config in kernel.configs]
    else:
        further = [kernel.expand(args, kwargs)] if hasattr(kernel, "expand") else [kwargs]
    return [launch for given in further for launch in _launches(kernel.fn, args, given)]


def _stored(kernel: Any, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments that are stored through."""
    launcher = getattr(kernel, "_reader", kernel)
    values, facts = launcher._describe(*args, **kwargs)
    specialization = arguments.specialize(kernel.source.parameters, values, facts, launcher._refuse)
    program = SourceProgram(kernel.source, specialization)
    written = stages.written(program.module, Target.host(), Options())
    signature = program.signature
    flat = arguments.flat(signature.names, signature.tuples, values, facts)
    at = {number: value for (number, _), (value, _) in zip(signature.places, flat, strict=True)}
    return [launch_schema.base_tensor(at[signature.slots[slot][0]]) for slot in written]
