"""Excludes launches of stock kernels outside of graphs from Dynamo's tracing.

Dynamo makes a launch of Triton's a node of its graph. Elsewhere the compiled function launches as Python does,
and Dynamo would trace and compile the frames below: Triton's tuner, front end and launcher, and ours.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any


def untraced(*functions: Callable[..., Any]) -> None:
    """Excludes functions and their callees from tracing. Dynamo still inlines them into a graph."""
    dynamo: Any = sys.modules.get("torch._C._dynamo.eval_frame")
    # Versions of torch without this interface are left unchanged.
    with contextlib.suppress(AttributeError):
        skip = dynamo._FrameAction.SKIP
        for each in functions:
            dynamo.set_code_exec_strategy(each.__code__, dynamo._FrameExecStrategy(skip, skip))
