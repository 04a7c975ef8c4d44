"""The operator ``blockdsl::launch``, which represents a launch of any kernel in torch's graphs.

The kernel's name is an argument, so that nothing must be registered before a graph is recorded, and only this module is
needed to load a saved graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._subclasses.functional_tensor import FunctionalTensorMode

from blockdsl import _runtime
from blockdsl.compiler.kernel_info import KernelInfo
from blockdsl.errors import LaunchError
from blockdsl.torch_compile import launch_schema, names, strides
from blockdsl.torch_compile.functionalization import functional
from blockdsl.tracebacks import border

_library: Any = torch.library.Library("blockdsl", "DEF")  # type: ignore[no-untyped-call]
_library.define(
    "launch(str kernel, str form, Tensor(a!)[] written, Tensor[] read, SymInt[] integers, float[] floats, "
    "SymInt[] grids) -> ()",
    # Kernels get strides as arguments, so that tensors need exactly these strides. But with the tag for exact strides
    # torch 2.13's Inductor fails for dynamic shapes with a copied mutated tensor, so strides.py restores them.
    tags=(torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order),
)

Sizes = tuple[int, int, int]


@functools.lru_cache(maxsize=4096)
def _prepared(name: str, text: str) -> tuple[Any, launch_schema.LaunchSchema]:
    return names.resolve(name), launch_schema.parse_schema(text)


def _launch(
    kernel: str, form: str, written: Sequence[Any] | None, read: Sequence[Any] | None, integers: Sequence[int] | None,
    floats: Sequence[float] | None, grids: Sequence[int],
) -> None:  # fmt: skip
    # AOTInductor passes None for an empty list.
    written, read, integers, floats = written or (), read or (), integers or (), floats or ()
    launched, parsed = _prepared(kernel, form)
    tensors = parsed.merged(written, read)
    copies = strides.restored(tensors, integers)
    args, kwargs = parsed.arguments(tensors, integers, floats)
    recorded_grids = list(zip(*[iter(grids)] * 3, strict=True))
    grid = recorded_grids[0] if len(recorded_grids) == 1 else _chooser(launched, recorded_grids)
    compiled = launched[grid](*args, **kwargs)
    if isinstance(compiled, _runtime.Kernel):
        _check_stores(compiled, names.innermost(launched), read, args, kwargs)
    for index, original in copies.items():
        if parsed.stored[index]:
            original.copy_(tensors[index])


def _chooser(kernel: Any, grids: Sequence[Sizes]) -> Callable[[dict[str, Any]], Sizes]:
    """Returns the grid function, which selects the recorded sizes of the launched configuration."""

    def grid(meta: dict[str, Any]) -> Sizes:
        for configuration, sizes in zip(configurations(kernel), grids, strict=True):
            if all(meta[name] == value for name, value in configuration.items() if name in meta):
                return sizes
        raise LaunchError(f"kernel '{kernel.__name__}' is launched with a configuration that its graph does not know")

    return grid


def configurations(kernel: Any) -> list[dict[str, Any]]:
    """Returns the settings of each combination of the configurations of all layers."""
    combinations: list[dict[str, Any]] = [{}]
    while not isinstance(kernel, KernelInfo):
        if hasattr(kernel, "configs"):
            combinations = [
                {**settings, **config.all_kwargs()} for settings in combinations for config in kernel.configs
            ]
        kernel = kernel.fn
    return combinations


def _check_stores(compiled: Any, kernel: Any, read: Sequence[Any], args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Raises LaunchError if a kernel stores through a tensor that its graph assumes to be read only."""
    if not read:
        return
    by_name = {**dict(zip(kernel.arg_names, args, strict=False)), **kwargs}
    for number in compiled.written:
        name = kernel.arg_names[number] if number < len(kernel.arg_names) else None
        if any(launch_schema.base_tensor(by_name.get(name)) is tensor for tensor in read):
            raise LaunchError(
                f"kernel '{kernel.__name__}' stores through '{name}', which was not so when its graph was recorded",
                hint="let what a kernel stores through depend on its arguments and constants alone",
            )


def _stands_for(
    kernel: str, form: str, written: Sequence[Any], read: Sequence[Any], integers: Sequence[int],
    floats: Sequence[float], grids: Sequence[int],
) -> None:  # fmt: skip
    """Does nothing for fake tensors: the launch has no result."""


torch.library.register_torch_dispatch("blockdsl::launch", FunctionalTensorMode, functional, lib=_library)
_library.impl("launch", border(_launch), "CompositeExplicitAutograd")
torch.library.register_fake("blockdsl::launch", _stands_for, lib=_library)
launch = torch.ops.blockdsl.launch.default
