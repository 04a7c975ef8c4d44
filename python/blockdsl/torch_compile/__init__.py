"""``torch.compile(backend="blockdsl")``: Inductor emits Triton code for CPU tensors, which blockdsl compiles.

torch loads ``compile_graph`` through the entry point ``blockdsl`` of the group ``torch_dynamo_backends``. The settings
of Inductor are in ``settings.py``, the shapes of its blocks in ``choices.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from blockdsl import tracing

if TYPE_CHECKING:
    from blockdsl.torch_compile.backend import compile_graph as compile_graph


def __getattr__(name: str) -> Any:
    """Returns ``compile_graph``, which is no module variable because its lookup by torch registers it."""
    if name != "compile_graph":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from blockdsl.torch_compile import backend

    return backend.compile_graph_or_none(sys._getframe(1))


def _record(kernel: Any, grid: object, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
    from blockdsl.torch_compile.graph_capture import record

    record(kernel, grid, *args, **kwargs)


def inductor_configs(mode: str | None = None, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns Inductor's settings, for interfaces without an argument for a backend, such as AOTInductor.

    Args:
        mode: A mode of Inductor.
        options: Settings of Inductor, which override ours.

    Raises:
        TargetError: Triton is not installed, or does not list the back end ``cpu``.

    Example:
        configs = blockdsl.torch_compile.inductor_configs()
        torch._inductor.aoti_compile_and_package(exported, package_path="model.pt2", inductor_configs=configs)
    """
    from blockdsl import triton
    from blockdsl.torch_compile import attention, scheduling, settings

    triton.require()
    scheduling.install()
    attention.install()
    return settings.settings(mode, options)


tracing.register_recorder(_record)
