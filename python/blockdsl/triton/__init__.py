"""Back end ``cpu`` for stock Triton, found through the entry point group ``triton.backends``.

Triton selects it if no GPU's driver works, or with ``TRITON_DEFAULT_BACKEND=cpu``; otherwise ``activate`` does. The
text of Triton's front end is compiled like that of our own (``pipeline.py``), and our launcher runs the launches
(``kernel_launcher.py``).
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from blockdsl.tracebacks import border


class Activation:
    """The result of ``activate``. Our driver is active until the context ends, or ``end`` is called."""

    def __init__(self, driver: Any, before: Any) -> None:
        self.driver = driver
        self._before = before

    def end(self) -> None:
        """Restores the previous driver."""
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
    """Raises TargetError if stock Triton cannot compile for the CPU with this back end.

    If Triton would select a GPU's driver that cannot be created, activates the CPU's driver.
    """
    from blockdsl.triton import driver

    driver.require()


@border
def activate() -> Activation:
    """Makes Triton compile for the CPU, permanently or in a ``with`` statement, even if there is a GPU.

    Raises:
        TargetError: Triton is not installed, or does not list the back end ``cpu``.

    Example:
        with blockdsl.triton.activate():
            add[grid](x, y, out, n, BLOCK=1024)     # add is a kernel of triton.jit, x lies on the CPU
    """
    from blockdsl.triton import driver

    return Activation(*driver.activate())
