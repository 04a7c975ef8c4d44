"""Checks of the address space left for a compilation, and conversion of libraries' errors to MemoryError.

Memory of launches is not checked here: the launcher raises MemoryError itself.
"""

from __future__ import annotations

import errno
import functools
import resource
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_MB = 1 << 20

_FOR_LLVM = 64 * _MB
"""The memory that LLVM needs for a small kernel, including its thread. For a matmul 38 MB are too little, 58 enough."""

_FOR_LLVMLITE = 160 * _MB
"""The memory for loading llvmlite."""

_SHORTAGES = (
    "Cannot allocate memory",
    "cannot allocate memory",
    "failed to map segment",
    "cannot create shared object descriptor",
    # llvmlite's message omits the loader's reason.
    "Could not find/load shared object file",
    "can't allocate lock",
    "can't allocate read lock",
    "can't start new thread",
    # Python raises ValueError for failed allocations of OpenSSL's hash functions.
    "[digital envelope routines]",
)
"""Parts of libraries' messages for failed allocations."""


def left() -> int | None:
    """Returns the bytes of address space that this process may still allocate; None without a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    return max(0, limit - used)


def limit_said() -> str:
    """Returns the end of a sentence: the space left, the limit, and a remedy."""
    space = left()
    if space is None:
        return "the system gives no more memory"
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return (
        f"{space // _MB} MB of address space are left under the limit of {limit // _MB} MB (ulimit -v); raise the "
        "limit, or compile in a process without one: a kernel from the disk cache needs no compiler"
    )


def check_space(kernel: str) -> None:
    """Raises MemoryError if less address space is left than compiling a small kernel needs: LLVM ends the process when
    an allocation fails."""
    space = left()
    required = _FOR_LLVM if "llvmlite.binding" in sys.modules else _FOR_LLVM + _FOR_LLVMLITE
    if space is not None and space < required:
        raise MemoryError(f"no memory to compile kernel '{kernel}', which takes {required // _MB} MB: {limit_said()}")


def is_shortage(error: BaseException) -> bool:
    """Returns whether a library's error means that memory is short."""
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    return isinstance(error, (OSError, ImportError, RuntimeError, ValueError)) and any(
        text in str(error) for text in _SHORTAGES
    )


def reporting_shortage(function: Callable[P, T]) -> Callable[P, T]:
    """Returns a function that converts libraries' errors of failed allocations to MemoryError.

    Example:
        @reporting_shortage
        def compile_kernel(program): ...
    """

    @functools.wraps(function)
    def reporting(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except (OSError, ImportError, RuntimeError, ValueError) as error:
            if not is_shortage(error):
                raise
            raise MemoryError(f"no memory: {limit_said()}. A library said: {error}") from error

    return reporting
