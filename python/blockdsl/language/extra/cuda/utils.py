"""Where a program runs: by one thread of a CPU, of which a kernel knows neither number nor time."""

from __future__ import annotations

from ...creation import full
from ...op import LibraryFunction
from ...tensor import tensor
from ...types import int32, int64


@LibraryFunction
def globaltimer() -> tensor:
    """The time in nanoseconds, an int64. Kernels have no clock here: it is always 0.

    Example:
        start = globaltimer()
    """
    return full((), 0, int64)


@LibraryFunction
def smid() -> tensor:
    """The multiprocessor that the program runs on, an int32: 0, as if there were one.

    Example:
        where = smid()
    """
    return full((), 0, int32)


@LibraryFunction
def num_threads() -> int:
    """How many threads run a program: one.

    Example:
        share = n // num_threads()
    """
    return 1


@LibraryFunction
def num_warps() -> int:
    """How many warps run a program: one.

    Example:
        share = n // num_warps()
    """
    return 1
