"""The backend that torch's registry holds, and its registration by several threads. Settings are in settings.py."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

NAME = "blockdsl"
"""The backend's name, which is the entry point's."""

_REGISTRY = "torch._dynamo.backends.registry"


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


def compile_graph_or_none(caller: FrameType | None) -> Callable[..., Any] | None:
    """Gives ``compile_graph``; to torch's look-up of the name, which is among the callers then, None.

    Of threads whose first ``torch.compile`` comes at the same time, each finds the name without a function, loads the
    entry point and registers it, and torch takes all but the first for another backend of the same name. So the
    function is registered here, and torch gets what its ``register_backend`` takes for a decorator without a function:
    it registers nothing. The look-up then finds the function by its name.
    """
    registry: Any = sys.modules.get(_REGISTRY)
    if registry is None or not _is_called_by(_REGISTRY, caller):
        return compile_graph
    # Another thread may be as far.
    with contextlib.suppress(AssertionError):
        registry.register_backend(compile_graph, name=NAME)
    return None if NAME in registry._COMPILER_FNS else compile_graph


def _is_called_by(module: str, frame: FrameType | None) -> bool:
    """Returns True if ``frame`` or one of the few before it runs code of ``module``: the entry point's are between."""
    for _ in range(3):
        if frame is None:
            return False
        if frame.f_globals.get("__name__") == module:
            return True
        frame = frame.f_back
    return False
