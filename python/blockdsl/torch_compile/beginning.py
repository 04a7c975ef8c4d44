"""What takes time before a process's first graph is compiled, and need not.

Python's collector of cycles: Inductor's modules and a graph's nodes are hundreds of thousands of objects that stay, and
the collector looks through them again and again. And Triton's key, a hash of its library of half a gigabyte, which
torch and Triton ask for when they look into their caches.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

YOUNG = 200_000
"""Objects that may be made between two collections while a graph is compiled: some tens of MB. Python's own is 700."""


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Has the collector of cycles run every ``YOUNG`` objects, unless it is off or told to run less often."""
    before = gc.get_threshold()
    if 0 < before[0] < YOUNG:
        gc.set_threshold(YOUNG, *before[1:])
    try:
        yield
    finally:
        # Whoever has set another since is right.
        if gc.get_threshold()[0] == YOUNG:
            gc.set_threshold(*before)


def hash_triton_meanwhile() -> None:
    """Has torch hash Triton on a thread while more is imported; torch waits for it where it needs it."""
    from torch._inductor import codecache

    # Not every version of torch can.
    key: Any = getattr(codecache, "triton_key", None)
    prefetch = getattr(key, "prefetch", None)
    if prefetch is not None:
        prefetch()
