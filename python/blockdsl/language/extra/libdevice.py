"""libdevice: what the compiler knows by symbol (table.py), and what is written in the language itself (written.py).

Every name here is callable in a kernel: ``libdevice.tanh(x)`` takes float32 and float64 where not said otherwise.
"""

from __future__ import annotations

from ..op import Op
from . import converters, integers, norms, rounding, scaled
from .table import FUNCTIONS as TABLE
from .written import WRITTEN

assert all((converters, integers, norms, rounding, scaled))
FUNCTIONS: dict[str, Op] = {**TABLE, **WRITTEN}


def __dir__() -> list[str]:
    return sorted(FUNCTIONS)


def __getattr__(name: str) -> Op:
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(f"libdevice has no function '{name}'; there are {', '.join(sorted(FUNCTIONS))}")
