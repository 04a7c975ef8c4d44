"""``driver.active``, which programs ask for the machine that kernels run on; backends/driver.py answers."""

from __future__ import annotations

from typing import Any

from blockdsl.backends.driver import Driver
from blockdsl.errors import TargetError
from blockdsl.testing import do_bench


class ActiveDriver(Driver):
    """The driver of this machine, which can measure too."""

    def get_benchmarker(self) -> Any:
        """What measures a call: ``blockdsl.testing.do_bench``."""
        return do_bench


class DriverConfig:
    """The drivers there are.

    Attributes:
        active: The machine's.
        default: The same.
    """

    active: ActiveDriver
    default: ActiveDriver

    def __init__(self) -> None:
        self.active = self.default = ActiveDriver()

    def set_active(self, driver: Any) -> None:
        """Accepts the driver that is active.

        Raises:
            TargetError: It is another: launches go by their tensors, not by a driver.
        """
        if driver is not self.active:
            raise TargetError(
                f"the driver is that of the machine, got {driver!r}", hint="a launch runs where its tensors lie"
            )

    def reset_active(self) -> None:
        """Makes the machine's driver active, which it is."""


driver = DriverConfig()
