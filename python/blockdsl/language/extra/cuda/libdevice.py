"""libdevice under the name of Triton's module for NVIDIA GPUs."""

from __future__ import annotations

from typing import Any

from .. import libdevice


def __getattr__(name: str) -> Any:
    return getattr(libdevice, name)


def __dir__() -> list[str]:
    return dir(libdevice)
