"""Triton's chains of hooks around launches and compilations, and the settings that hold them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any]


class HookChain:
    """Functions that are called in sequence.

    Attributes:
        calls: The functions.
        reversed: Whether the last added function is called first.

    Example:
        blockdsl.knobs.runtime.launch_enter_hook.add(lambda metadata: print(metadata.get()["name"]))
    """

    def __init__(self, reversed: bool = False) -> None:  # noqa: A002 - Triton's spelling
        self.calls: list[Hook] = []
        self.reversed = reversed

    def add(self, func: Hook) -> None:
        """Adds a function, unless the chain contains it."""
        if func not in self.calls:
            self.calls.append(func)

    def remove(self, func: Hook) -> None:
        """Removes a function, if the chain contains it."""
        if func in self.calls:
            self.calls.remove(func)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        for call in list(reversed(self.calls) if self.reversed else self.calls):
            call(*args, **kwargs)


def calls_of(hook: Hook | None) -> list[Hook]:
    """Returns the functions of a hook: a chain's, one for a plain function, none for None."""
    if isinstance(hook, HookChain):
        return hook.calls
    return [] if hook is None else [hook]
