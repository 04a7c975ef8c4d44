"""Triton's ``driver.active``, an extension of backends/driver.py."""

from __future__ import annotations

from typing import Any

from blockdsl.backends.driver import Driver
from blockdsl.errors import TargetError
from blockdsl.testing import do_bench


class ActiveDriver(Driver):
    """The driver of this machine, with a benchmark function."""

    def get_benchmarker(self) -> Any:
        """Returns the function that measures a call: ``blockdsl.testing.do_bench``."""
        return do_bench


class DriverConfig:
    """The available drivers.

    Attributes:
        active: The machine's driver.
        default: The machine's driver.
    """

    active: ActiveDriver
    default: ActiveDriver

    def __init__(self) -> None:
        self.active = self.default = ActiveDriver()

    def set_active(self, driver: Any) -> None:
        """Accepts the active driver only.

        Raises:
            TargetError: The driver is another one: the tensors of a launch determine its device, not a driver.
        """
        if driver is not self.active:
            raise TargetError(
                f"the driver is that of the machine, got {driver!r}", hint="a launch runs where its tensors lie"
            )

    def reset_active(self) -> None:
        """Does nothing: the machine's driver is always active."""


driver = DriverConfig()
