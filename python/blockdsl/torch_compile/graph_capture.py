"""Graph capture: records a launch as one call of the operator ``blockdsl::launch``.

Dynamo traces these functions in place of a launch, and non-strict tracers run them, so they use nothing but plain
Python on the arguments. Queries of the kernel are marked as constant: Dynamo evaluates them and guards on the identity
of the kernel. The encoding of arguments is in ``launch_schema.py``.
"""

from __future__ import annotations

from typing import Any

from blockdsl.compiler.kernel_info import KernelInfo
from blockdsl.frontend.source import MISSING
from blockdsl.torch_compile import launch_schema, mutated_args, names
from blockdsl.torch_compile.constants import constant
from blockdsl.torch_compile.operator import launch

_LITERALS = (bool, int, float, str, type(None))


@constant
def _kernel_info(kernel: Any) -> tuple[str, tuple[str, ...], int, tuple[str, ...], tuple[tuple[str, Any], ...]]:
    """Returns the kernel's name, its parameters, the index of ``*args`` (or else their number), those that are
    constants, and defaults that are numbers or text."""
    parameters = names.innermost(kernel).source.parameters
    return (
        names.name_of(kernel),
        tuple(parameter.name for parameter in parameters),
        next((index for index, parameter in enumerate(parameters) if parameter.variadic), len(parameters)),
        tuple(parameter.name for parameter in parameters if parameter.is_constexpr),
        tuple((parameter.name, parameter.default) for parameter in parameters
              if parameter.default is not MISSING and isinstance(parameter.default, _LITERALS)),
    )  # fmt: skip


@constant
def _configurations(layer: Any) -> tuple[tuple[tuple[str, Any], ...], ...]:
    """Returns the arguments that each configuration of an autotuned kernel sets."""
    return tuple(tuple(config.all_kwargs().items()) for config in layer.configs)


@constant
def _literal(arguments: tuple[Any, ...]) -> str:
    return repr(arguments)


@constant
def _object_name(value: Any) -> str:
    return names.object_name(value)


@constant
def _mutated_args(kernel: Any, form: str, tensors: tuple[str, ...]) -> tuple[bool, ...]:
    return mutated_args.are_mutated(kernel, form, tensors)


def _metas(kernel: Any, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the arguments of a grid function: by name, once for each configuration that may be launched."""
    metas = [arguments]
    while not isinstance(kernel, KernelInfo):
        if hasattr(kernel, "configs"):
            metas = [{**meta, **dict(config)} for meta in metas for config in _configurations(kernel)]
        elif hasattr(kernel, "expand"):
            metas = [{**meta, **kernel.expand((), meta)} for meta in metas]
        kernel = kernel.fn
    return metas


def _sizes(grid: Any) -> list[Any]:
    """Pads a grid to three extents."""
    sizes = list(grid) if isinstance(grid, (tuple, list)) else [grid]
    return [*sizes, 1, 1, 1][: max(3, len(sizes))]


def record(kernel: Any, grid: Any, /, *args: Any, **kwargs: Any) -> None:
    """Adds a launch to the graph.

    Args:
        kernel: A kernel or an autotuner around one.
        grid: Its grid; a function is called here, once for each configuration.
        args: Positional arguments.
        kwargs: Keyword arguments.

    Raises:
        LaunchError: An argument cannot be recorded in a graph.
    """
    name, parameters, variadic_index, constants, defaults = _kernel_info(kernel)
    operands = launch_schema.LaunchOperands()
    positional = tuple(
        [
            _argument_schema(operands, value, index < variadic_index and parameters[index] in constants)
            for index, value in enumerate(args)
        ]
    )
    named = tuple([
        (key, _argument_schema(operands, value, key in constants or key not in parameters))
        for key, value in kwargs.items()
    ])  # fmt: skip
    grids = []
    if callable(grid):
        by_name = {**dict(defaults), **dict(zip(parameters[:variadic_index], args, strict=False)), **kwargs}
        if variadic_index < len(parameters):
            by_name[parameters[variadic_index]] = tuple(args[variadic_index:])
        for meta in _metas(kernel, by_name):
            grids.extend(_sizes(grid(meta)))
    else:
        grids.extend(_sizes(grid))
    arguments = _literal((positional, named))
    stored = _mutated_args(kernel, arguments, tuple([f"{tensor.dim()} {tensor.dtype}" for tensor in operands.tensors]))
    written = [tensor for tensor, is_written in zip(operands.tensors, stored, strict=True) if is_written]
    read = [tensor for tensor, is_written in zip(operands.tensors, stored, strict=True) if not is_written]
    integers = [*operands.integers, *[stride for tensor in operands.tensors for stride in tensor.stride()]]
    launch(name, _literal((positional, named, stored)), written, read, integers, operands.floats, grids)


def _argument_schema(operands: launch_schema.LaunchOperands, value: Any, is_constant: bool) -> tuple[Any, ...]:
    """Returns the schema of an argument; its value becomes an operand unless it is constant."""
    return operands.add(value, is_constant, _object_name)
