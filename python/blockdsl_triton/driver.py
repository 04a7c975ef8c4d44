"""Triton's driver interface; see ``blockdsl.triton.driver``."""

from __future__ import annotations

import os
import sys
from typing import Any

from triton.backends.driver import DriverBase

from blockdsl_triton import choosing, importing, loading


def _is_requested() -> bool:
    return os.environ.get("TRITON_DEFAULT_BACKEND") == "cpu"


def _disable_while_requested(kind: type) -> None:
    """Makes another driver's class inactive in Triton's selection if ``TRITON_DEFAULT_BACKEND`` is ``cpu``.

    Triton 3.6 does not read this variable. It queries all drivers, and fails if two are active.
    """
    original = kind.__dict__.get("is_active")
    if original is None:
        return

    def is_active(cls: type) -> bool:
        is_choice = sys._getframe(1).f_globals.get("__name__") == "triton.runtime.driver"
        return not (is_choice and _is_requested()) and original.__get__(None, cls)()

    kind.is_active = classmethod(is_active)  # type: ignore[attr-defined]


def _disable_other_drivers() -> None:
    """Patches all drivers that Triton has imported or will import."""
    kinds = [DriverBase]
    while kinds:
        further = kinds.pop().__subclasses__()
        kinds.extend(further)
        for kind in further:
            _disable_while_requested(kind)
    DriverBase.__init_subclass__ = classmethod(
        lambda cls: None if cls.__module__ == __name__ else _disable_while_requested(cls)
    )


if _is_requested():
    _disable_other_drivers()
choosing.watch()
importing.watch_forks()


class CPUDriver(DriverBase):  # type: ignore[misc] # Triton has no types
    """The CPU's driver. If a GPU's driver works, too, it forwards calls for the GPU."""

    def __init__(self) -> None:
        from blockdsl.triton import driver

        self._driver = driver.make()
        if isinstance(self._driver, driver.Driver):
            # Bound directly, because every launch calls them.
            self.get_current_device = self._driver.get_current_device
            self.get_current_stream = self._driver.get_current_stream
        self.is_alone = self._driver.is_alone

    @classmethod
    def is_active(cls) -> bool:
        """Returns whether Triton selects this driver: if the variable requests it, or no other driver is active."""
        loading.guard()
        if _is_requested():
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
        """Forwards all other attributes, which depend on Triton's version."""
        if name == "_driver":
            raise AttributeError(name)
        return getattr(self._driver, name)
