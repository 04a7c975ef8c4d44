"""Launches outside of torch's graphs are none of Dynamo's business.

Dynamo makes a launch of Triton's a node of its graph. Where it cannot, the compiled function launches as Python does,
and Dynamo is shown every frame below: it would compile Triton's tuner, front end and launcher, and us, bit by bit.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any


def untraced(*functions: Callable[..., Any]) -> None:
    """Has Dynamo look neither at these functions nor at what they call. What it inlines into a graph it still does."""
    dynamo: Any = sys.modules.get("torch._C._dynamo.eval_frame")
    # Another torch than those that we know is left alone.
    with contextlib.suppress(AttributeError):
        skip = dynamo._FrameAction.SKIP
        for each in functions:
            dynamo.set_code_exec_strategy(each.__code__, dynamo._FrameExecStrategy(skip, skip))
