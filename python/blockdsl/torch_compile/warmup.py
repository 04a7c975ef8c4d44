"""Warm-up of a process before its first graph is compiled.

The garbage collector runs less often while a graph is compiled: the objects of Inductor and of the graph are hundreds
of thousands and stay alive. Triton's key, a hash of its half a gigabyte of libraries, is computed on a thread.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

YOUNG = 200_000
"""Allocations between two collections while a graph is compiled, some tens of MB. Python's default is 700."""


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Runs the collector every ``YOUNG`` allocations, unless it is off or runs less often."""
    thresholds = gc.get_threshold()
    if 0 < thresholds[0] < YOUNG:
        gc.set_threshold(YOUNG, *thresholds[1:])
    try:
        yield
    finally:
        # Another thread may have changed the threshold meanwhile.
        if gc.get_threshold()[0] == YOUNG:
            gc.set_threshold(*thresholds)


def hash_triton_meanwhile() -> None:
    """Starts hashing Triton on a thread while more is imported; torch waits for the result when it needs it."""
    from torch._inductor import codecache

    # Some versions of torch do not have it.
    key: Any = getattr(codecache, "triton_key", None)
    prefetch = getattr(key, "prefetch", None)
    if prefetch is not None:
        prefetch()
