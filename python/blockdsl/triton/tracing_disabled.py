"""Exclusion of launches of stock kernels outside of graphs from Dynamo's tracing.

In a graph, Dynamo makes a launch of Triton a node. Outside of graphs it would trace and compile the Python frames of a
launch: Triton's tuner, front end and launcher, and ours.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any


def untraced(*functions: Callable[..., Any]) -> None:
    """Excludes functions and their callees from tracing. Dynamo still inlines them into a graph."""
    dynamo: Any = sys.modules.get("torch._C._dynamo.eval_frame")
    # Some versions of torch do not have this interface.
    with contextlib.suppress(AttributeError):
        skip = dynamo._FrameAction.SKIP
        for each in functions:
            dynamo.set_code_exec_strategy(each.__code__, dynamo._FrameExecStrategy(skip, skip))
