"""Backend in torch's registry, and its thread-safe registration. Settings are in settings.py."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

NAME = "blockdsl"
"""The name of the backend and of its entry point."""

_REGISTRY = "torch._dynamo.backends.registry"


def compile_graph(
    graph: Any, example_inputs: Sequence[Any], *, mode: str | None = None, options: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """Compiles a graph that Dynamo has traced. For GPUs Inductor's own code generation is used.

    Args:
        graph: The graph's module.
        example_inputs: The inputs of the trace.
        mode: A mode of Inductor, as for ``torch.compile``.
        options: Settings of Inductor, which override ours.

    Raises:
        TargetError: Triton is not installed, or does not list the back end ``cpu``.

    Example:
        compiled = torch.compile(model, backend="blockdsl")
    """
    from blockdsl.torch_compile import settings

    return settings.compile_graph(graph, example_inputs, mode, options)


def compile_graph_or_none(caller: FrameType | None) -> Callable[..., Any] | None:
    """Returns ``compile_graph``, or None if torch's lookup of the backend is among the callers.

    If several threads call ``torch.compile`` for the first time concurrently, each loads and registers the entry point,
    and torch rejects all but the first as duplicates. So the function is registered here, and torch gets None, for
    which its ``register_backend`` registers nothing. The lookup then finds the function by its name.
    """
    from blockdsl.torch_compile import attention

    # Before Dynamo runs the code of a graph.
    attention.allow_gradients()
    registry: Any = sys.modules.get(_REGISTRY)
    if registry is None or not _is_called_by(_REGISTRY, caller):
        return compile_graph
    # Another thread may have registered it.
    with contextlib.suppress(AssertionError):
        registry.register_backend(compile_graph, name=NAME)
    return None if NAME in registry._COMPILER_FNS else compile_graph


def _is_called_by(module: str, frame: FrameType | None) -> bool:
    """Returns True if ``frame`` or one of its nearest callers runs code of ``module``: the entry point's frames are in
    between."""
    for _ in range(3):
        if frame is None:
            return False
        if frame.f_globals.get("__name__") == module:
            return True
        frame = frame.f_back
    return False
