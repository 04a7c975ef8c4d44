"""``torch.compile(backend="blockdsl")``: Inductor writes Triton code for CPU tensors, and stock Triton runs through us.

torch finds ``compile_graph`` by the entry point ``blockdsl`` of the group ``torch_dynamo_backends``. What Inductor is
told stands in ``settings.py``, the shapes of its blocks in ``choices.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def compile_graph(
    graph: Any, example_inputs: Sequence[Any], *, mode: str | None = None, options: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """Compiles a graph that Dynamo has traced. Tensors on a GPU stay with Inductor's own code for it.

    Args:
        graph: The graph's module.
        example_inputs: What it was traced with.
        mode: A mode of Inductor's, as ``torch.compile`` takes it.
        options: Settings of Inductor's, which win over ours.

    Raises:
        TargetError: Triton is not installed, or does not list us.

    Example:
        compiled = torch.compile(model, backend="blockdsl")
    """
    from blockdsl.torch_compile import settings

    return settings.compile_graph(graph, example_inputs, mode, options)


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
