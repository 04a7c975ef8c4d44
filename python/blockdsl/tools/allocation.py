"""Triton's interface for allocators; the launcher allocates by itself."""

from __future__ import annotations

from collections.abc import Callable


def set_allocator(allocator: Callable[[int, int, int | None], object]) -> None:
    """Accepted for compatibility with Triton, and ignored: the launcher has its own pool of scratch memory.

    Example:
        blockdsl.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    """
    del allocator
