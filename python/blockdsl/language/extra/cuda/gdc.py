"""Grid dependency control. Here launches follow one another: there is nothing to wait for."""

from __future__ import annotations

from ...op import LibraryFunction


@LibraryFunction
def gdc_wait() -> None:
    """Waits for the launch before this one to end; it has ended.

    Example:
        gdc_wait()
    """


@LibraryFunction
def gdc_launch_dependents() -> None:
    """Lets the next launch begin; it begins when this one has ended.

    Example:
        gdc_launch_dependents()
    """
