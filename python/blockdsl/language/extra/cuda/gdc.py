"""Grid dependency control. Launches run in sequence, so its functions do nothing."""

from __future__ import annotations

from ...op import LibraryFunction


@LibraryFunction
def gdc_wait() -> None:
    """Waits for the end of the previous launch, which has already ended.

    Example:
        gdc_wait()
    """


@LibraryFunction
def gdc_launch_dependents() -> None:
    """Lets the next launch begin. It has no effect: the next launch begins after the end of this one.

    Example:
        gdc_launch_dependents()
    """
