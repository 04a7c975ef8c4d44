"""``torch.compile(backend="blockdsl")``: Inductor writes Triton code for CPU tensors, and stock Triton runs through us.

torch finds ``compile_graph`` by the entry point ``blockdsl`` of the group ``torch_dynamo_backends``. The settings of
Inductor are in ``settings.py``, the shapes of its blocks in ``choices.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from blockdsl import tracing

if TYPE_CHECKING:
    from blockdsl.torch_compile.backend import compile_graph as compile_graph


def __getattr__(name: str) -> Any:
    """Gives ``compile_graph``. It is no variable of the module, because a look-up by torch registers it."""
    if name != "compile_graph":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from blockdsl.torch_compile import backend

    return backend.compile_graph_or_none(sys._getframe(1))


def _record(kernel: Any, grid: object, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
    from blockdsl.torch_compile.graph_capture import record

    record(kernel, grid, *args, **kwargs)


def inductor_configs(mode: str | None = None, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What Inductor is told where it has no argument for a backend, as AOTInductor has none.

    Args:
        mode: A mode of Inductor's.
        options: Settings of Inductor's, which win over ours.

    Raises:
        TargetError: Triton is not installed, or does not list us.

    Example:
        configs = blockdsl.torch_compile.inductor_configs()
        torch._inductor.aoti_compile_and_package(exported, package_path="model.pt2", inductor_configs=configs)
    """
    from blockdsl import triton
    from blockdsl.torch_compile import scheduling, settings

    triton.require()
    scheduling.install()
    return settings.settings(mode, options)


tracing.register_recorder(_record)
