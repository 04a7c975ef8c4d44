"""Where and when a program runs. On a CPU that is one thread on one processor."""

from __future__ import annotations

from ...inline_asm import inline_asm_elementwise
from ...op import LibraryFunction
from ...tensor import tensor
from ...types import int32, int64


@LibraryFunction
def globaltimer() -> tensor:
    """The time in nanoseconds since some time or other, an int64; the same for all programs.

    Example:
        start = globaltimer()
    """
    time: tensor = inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=int64, is_pure=False, pack=1)
    return time


@LibraryFunction
def smid() -> tensor:
    """The multiprocessor that the program runs on, an int32; on a CPU which of the processors that the process may use.

    Example:
        where = smid()
    """
    number: tensor = inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], dtype=int32, is_pure=True, pack=1)
    return number


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
