"""Triton's CUDA language other than libdevice, on a CPU: launches run in sequence, and a program has one thread.

The same functions as in ``blockdsl.language.extra.cuda``, for Triton's front end, in which they replace Triton's.
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
    """Does nothing: the previous launch has ended."""


@core.extern  # type: ignore[untyped-decorator]
def gdc_launch_dependents(_semantic: Any = None) -> None:
    """Does nothing: the next launch begins when this one has ended."""


@core.extern  # type: ignore[untyped-decorator]
def num_threads(_semantic: Any = None) -> Any:
    """Returns 1."""
    return core.constexpr(1)


@core.extern  # type: ignore[untyped-decorator]
def num_warps(_semantic: Any = None) -> Any:
    """Returns 1."""
    return core.constexpr(1)
