"""Triton's CUDA language besides libdevice, on a CPU: launches follow one another, a program has one thread.

The same as ``blockdsl.language.extra.cuda``, in the words of Triton's front end, which takes these in place of its own.
"""

from __future__ import annotations

from typing import Any

from triton.language import core
from triton.language.extra.cuda import gdc as gdc
from triton.language.extra.cuda import libdevice as libdevice
from triton.language.extra.cuda import utils as utils
from triton.language.extra.cuda.utils import globaltimer as globaltimer
from triton.language.extra.cuda.utils import smid as smid


@core.extern  # type: ignore[untyped-decorator]
def gdc_wait(_semantic: Any = None) -> None:
    """The launch before this one has ended."""


@core.extern  # type: ignore[untyped-decorator]
def gdc_launch_dependents(_semantic: Any = None) -> None:
    """The next launch begins when this one has ended."""


@core.extern  # type: ignore[untyped-decorator]
def num_threads(_semantic: Any = None) -> Any:
    """One."""
    return core.constexpr(1)


@core.extern  # type: ignore[untyped-decorator]
def num_warps(_semantic: Any = None) -> Any:
    """One."""
    return core.constexpr(1)
