"""libdevice: functions that the compiler lowers by symbol (table.py), and functions of the language (written.py).

All functions are callable in kernels: ``libdevice.tanh(x)`` takes float32 and float64 unless stated otherwise.
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
