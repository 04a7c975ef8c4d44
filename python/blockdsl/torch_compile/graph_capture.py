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
        tuple(each.name for each in parameters),
        next((at for at, each in enumerate(parameters) if each.variadic), len(parameters)),
        tuple(each.name for each in parameters if each.is_constexpr),
        tuple((each.name, each.default) for each in parameters
              if each.default is not MISSING and isinstance(each.default, _LITERALS)),
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


def _metas(kernel: Any, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the arguments of a grid function: by name, once for each configuration that may be launched."""
    metas = [given]
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
    name, parameters, further, constants, defaults = _kernel_info(kernel)
    operands = launch_schema.LaunchOperands()
    positional = tuple([
        _argument_schema(operands, value, at < further and parameters[at] in constants) for at, value in enumerate(args)
    ])  # fmt: skip
    named = tuple([
        (key, _argument_schema(operands, value, key in constants or key not in parameters))
        for key, value in kwargs.items()
    ])  # fmt: skip
    grids = []
    if callable(grid):
        given = {**dict(defaults), **dict(zip(parameters[:further], args, strict=False)), **kwargs}
        if further < len(parameters):
            given[parameters[further]] = tuple(args[further:])
        for meta in _metas(kernel, given):
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
