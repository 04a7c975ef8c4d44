"""Parameter descriptors passed to the native launcher, and options that every kernel takes."""

from __future__ import annotations

from collections.abc import Set

from blockdsl.compiler.options import GPU_OPTIONS, IGNORED, KEYED
from blockdsl.errors import KernelSyntaxError
from blockdsl.frontend.source import MISSING, KernelSource
from blockdsl.launcher import arguments

_NONE: frozenset[str | int] = frozenset()


def check_parameters(source: KernelSource) -> None:
    """Raises KernelSyntaxError for a kernel with too many parameters."""
    names = [parameter.name for parameter in source.parameters]
    if len(names) > arguments.MAX_PARAMETERS:
        raise KernelSyntaxError(
            f"a kernel has at most {arguments.MAX_PARAMETERS} parameters, got {len(names)}",
            location=source.location(source.tree),
            hint="pass values that are known when the kernel is compiled in a tuple, others in a tensor",
        )


def parameter_rows(
    source: KernelSource, unspecialized: Set[str | int] = _NONE, unaligned: Set[str | int] = _NONE
) -> tuple[arguments.Row, ...]:
    """Returns a row for each parameter, then one for each option that no parameter of the kernel hides.

    Args:
        source: The kernel.
        unspecialized: Parameters, by name or index, whose values do not change the code.
        unaligned: Parameters, by name or index, whose divisibility by 16 does not change the code.
    """
    rows = [
        arguments.row(
            parameter,
            () if parameter.default is MISSING else (parameter.default,),
            is_specialized=not {parameter.name, index} & unspecialized,
            is_aligned=not {parameter.name, index} & unaligned,
        )
        for index, parameter in enumerate(source.parameters)
    ]
    own = {parameter.name for parameter in source.parameters}
    options = [(name, arguments.OPTION, default) for name, default in KEYED.items()]
    options += [(name, arguments.GPU_OPTION, None) for name in GPU_OPTIONS]
    options += [(name, arguments.IGNORED, None) for name in IGNORED]
    rows += [(name, role, (default,), 0, "n") for name, role, default in options if name not in own]
    return tuple(rows)
