"""Stock Triton on the CPU: what the entry point ``cpu`` of the group ``triton.backends`` stands for.

Where no GPU's driver works, or ``TRITON_DEFAULT_BACKEND=cpu`` asks for it, Triton takes us by itself; elsewhere
``activate`` makes it. Triton's front end stays Triton's; its text enters the corridor where our own front end's does
(``pipeline.py``), and its launches end in our launcher (``kernel_launcher.py``).
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from blockdsl.tracebacks import border


class Activation:
    """What ``activate`` gives: the driver is ours until it is left, or ``end`` is called."""

    def __init__(self, driver: Any, before: Any) -> None:
        self.driver = driver
        self._before = before

    def end(self) -> None:
        """Makes the driver active that was so before."""
        from triton.runtime import driver

        driver.set_active(self._before)

    def __enter__(self) -> Activation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


@border
def require() -> None:
    """Raises TargetError where stock Triton does not compile for the CPU through us.

    Where Triton would take a GPU's driver that cannot be made, the CPU's is active from now on.
    """
    from blockdsl.triton import driver

    driver.require()


@border
def activate() -> Activation:
    """Makes Triton compile for the CPU from now on, or for the length of a ``with`` statement, also beside a GPU.

    Raises:
        TargetError: Triton is not installed, or does not list the back end ``cpu``.

    Example:
        with blockdsl.triton.activate():
            add[grid](x, y, out, n, BLOCK=1024)     # add is a kernel of triton.jit, x lies on the CPU
    """
    from blockdsl.triton import driver

    return Activation(*driver.activate())
