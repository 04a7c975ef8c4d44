"""Where compilations run: on a stack of a gigabyte, of which only what is touched becomes memory.

Our passes, MLIR and LLVM recurse along chains of ops, and a kernel may first be launched on a thread with a small stack.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def on_deep_stack(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls ``function`` on this thread, with room for deep recursion in C++. What it returns and raises comes back as
    it is, and signals are heard as in any call.

    Example:
        entry = on_deep_stack(compile, program)
    """
    # The extension is large; who takes all kernels from the disk cache does without.
    from blockdsl import _native

    return _native.call_deep(functools.partial(function, *args, **kwargs))
