"""A launch where torch records a graph: ``kernel[grid](...)`` becomes one call of the operator ``blockdsl::launch``.

Dynamo runs these functions symbolically in place of a launch, and non-strict tracers run them as they are, so they are
plain Python about the launch's own arguments. What asks the kernel is marked as constant: Dynamo calls it for the
kernel and text that it is given, and guards that the kernel stays the same. The encoding of arguments is in
``launch_schema.py``.
"""

from __future__ import annotations

from typing import Any

from blockdsl.compiler.described import DescribedKernel
from blockdsl.frontend.source import MISSING
from blockdsl.torch_compile import launch_schema, mutated_args, names
from blockdsl.torch_compile.constants import constant
from blockdsl.torch_compile.operator import launch

_LITERALS = (bool, int, float, str, type(None))


@constant
def _about(kernel: Any) -> tuple[str, tuple[str, ...], int, tuple[str, ...], tuple[tuple[str, Any], ...]]:
    """The kernel's name, its parameters, the place of ``*args`` among them (or else their number), those that are
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
    """What each configuration of an autotuned kernel sets."""
    return tuple(tuple(config.all_kwargs().items()) for config in layer.configs)


@constant
def _written_down(arguments: tuple[Any, ...]) -> str:
    return repr(arguments)


@constant
def _object_name(value: Any) -> str:
    return names.object_name(value)


@constant
def _mutated_args(kernel: Any, form: str, tensors: tuple[str, ...]) -> tuple[bool, ...]:
    return mutated_args.are_mutated(kernel, form, tensors)


def _metas(kernel: Any, given: dict[str, Any]) -> list[dict[str, Any]]:
    """What a grid's function is given: for each configuration that may be launched the arguments by name."""
    metas = [given]
    while not isinstance(kernel, DescribedKernel):
        if hasattr(kernel, "configs"):
            metas = [{**meta, **dict(config)} for meta in metas for config in _configurations(kernel)]
        elif hasattr(kernel, "expand"):
            metas = [{**meta, **kernel.expand((), meta)} for meta in metas]
        kernel = kernel.fn
    return metas


def _sizes(grid: Any) -> list[Any]:
    """Three extents."""
    sizes = list(grid) if isinstance(grid, (tuple, list)) else [grid]
    return [*sizes, 1, 1, 1][: max(3, len(sizes))]


def record(kernel: Any, grid: Any, /, *args: Any, **kwargs: Any) -> None:
    """Adds a launch to the graph.

    Args:
        kernel: What is launched: a kernel, or a layer around one.
        grid: Its grid; a function is called here, once for each configuration.
        args: Positional arguments.
        kwargs: Keyword arguments.

    Raises:
        LaunchError: An argument can be no part of a graph.
    """
    name, parameters, further, constants, defaults = _about(kernel)
    parts = launch_schema.LaunchOperands()
    positional = tuple([
        _entry(parts, value, at < further and parameters[at] in constants) for at, value in enumerate(args)
    ])  # fmt: skip
    named = tuple([
        (key, _entry(parts, value, key in constants or key not in parameters)) for key, value in kwargs.items()
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
    arguments = _written_down((positional, named))
    stored = _mutated_args(kernel, arguments, tuple([f"{tensor.dim()} {tensor.dtype}" for tensor in parts.tensors]))
    written = [tensor for tensor, is_written in zip(parts.tensors, stored, strict=True) if is_written]
    read = [tensor for tensor, is_written in zip(parts.tensors, stored, strict=True) if not is_written]
    integers = [*parts.integers, *[stride for tensor in parts.tensors for stride in tensor.stride()]]
    launch(name, _written_down((positional, named, stored)), written, read, integers, parts.floats, grids)


def _entry(parts: launch_schema.LaunchOperands, value: Any, is_constant: bool) -> tuple[Any, ...]:
    """How one argument is written down; what may differ from call to call goes into ``parts``."""
    return parts.add(value, is_constant, _object_name)
