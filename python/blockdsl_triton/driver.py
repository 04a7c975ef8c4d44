"""The driver that Triton calls to launch and to ask about the device; see ``blockdsl.triton.driving``."""

from __future__ import annotations

import os
from typing import Any

from triton.backends.driver import DriverBase


class CPUDriver(DriverBase):  # type: ignore[misc] # Triton has no types
    """The CPU; where a GPU's driver works too, it passes on what is not for the CPU."""

    def __init__(self) -> None:
        from blockdsl.triton import driving

        self._driver = driving.make()
        if isinstance(self._driver, driving.Driver):
            # Asked on every launch.
            self.get_current_device = self._driver.get_current_device
            self.get_current_stream = self._driver.get_current_stream
        self.is_alone = self._driver.is_alone

    @classmethod
    def is_active(cls) -> bool:
        """Whether Triton takes us without being told to: where it was asked for us, or has nobody else."""
        if os.environ.get("TRITON_DEFAULT_BACKEND") == "cpu":
            return True
        from triton.backends import backends

        return not any(each.driver.is_active() for each in backends.values() if not issubclass(cls, each.driver))

    def get_current_target(self) -> Any:
        return self._driver.get_current_target()

    def map_python_to_cpp_type(self, ty: str) -> str:
        return str(self._driver.map_python_to_cpp_type(ty))

    def get_active_torch_device(self) -> Any:
        return self._driver.get_active_torch_device()

    def get_benchmarker(self) -> Any:
        return self._driver.get_benchmarker()

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: Any) -> Any:
        return self._driver.allocate_default_profile_scratch(size, alignment, stream)

    def __getattr__(self, name: str) -> Any:
        """Everything else, of which versions of Triton ask for more and less."""
        if name == "_driver":
            raise AttributeError(name)
        return getattr(self._driver, name)
