"""The driver that Triton calls to launch and to ask about the device; see ``blockdsl.triton.driver``."""

from __future__ import annotations

import os
import sys
from typing import Any

from triton.backends.driver import DriverBase

from blockdsl_triton import choosing, loading


def _is_asked_for() -> bool:
    return os.environ.get("TRITON_DEFAULT_BACKEND") == "cpu"


def _step_back(kind: type) -> None:
    """Has another driver's class say, to Triton as it chooses a driver, that it is not active where we are asked for.

    Triton 3.6 does not read the variable that asks for us. It asks all drivers, and takes none where two are active.
    """
    works = kind.__dict__.get("is_active")
    if works is None:
        return

    def is_active(cls: type) -> bool:
        is_choice = sys._getframe(1).f_globals.get("__name__") == "triton.runtime.driver"
        return not (is_choice and _is_asked_for()) and works.__get__(None, cls)()

    kind.is_active = classmethod(is_active)  # type: ignore[attr-defined]


def _have_others_step_back() -> None:
    """For drivers that Triton has imported, and for those that it is going to."""
    kinds = [DriverBase]
    while kinds:
        further = kinds.pop().__subclasses__()
        kinds.extend(further)
        for kind in further:
            _step_back(kind)
    DriverBase.__init_subclass__ = classmethod(lambda cls: None if cls.__module__ == __name__ else _step_back(cls))


if _is_asked_for():
    _have_others_step_back()
choosing.watch()


class CPUDriver(DriverBase):  # type: ignore[misc] # Triton has no types
    """The CPU; where a GPU's driver works too, it passes on what is not for the CPU."""

    def __init__(self) -> None:
        from blockdsl.triton import driver

        self._driver = driver.make()
        if isinstance(self._driver, driver.Driver):
            # Asked on every launch.
            self.get_current_device = self._driver.get_current_device
            self.get_current_stream = self._driver.get_current_stream
        self.is_alone = self._driver.is_alone

    @classmethod
    def is_active(cls) -> bool:
        """Whether Triton takes us without being told to: where it was asked for us, or has nobody else."""
        loading.guard()
        if _is_asked_for():
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
