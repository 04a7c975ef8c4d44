"""Driver of the device, which reports the first operation that is requested."""

from __future__ import annotations

from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase


class Asked(Exception):
    """Triton called the other device's driver."""


class AnotherDriver(DriverBase):
    """An active driver, like a GPU's."""

    utils = None

    def __init__(self) -> None:
        """It loads nothing."""

    @staticmethod
    def is_active() -> bool:
        return True

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: Any) -> int:
        raise Asked("get_current_stream")

    def launcher_cls(self, source: Any, metadata: Any) -> Any:
        raise Asked("launcher_cls")

    def get_current_target(self) -> Any:
        return GPUTarget("cuda", 90, 32)

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_active_torch_device(self) -> Any:
        raise Asked("get_active_torch_device")

    def get_benchmarker(self) -> Any:
        raise Asked("get_benchmarker")
