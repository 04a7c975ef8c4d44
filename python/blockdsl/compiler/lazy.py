"""Lazily computed metadata of a launch for hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class LazyDict:
    """Metadata of a launch. ``get()`` computes the entries that a kernel's ``launch_metadata`` adds."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)
        self.extras: list[tuple[Callable[..., Mapping[str, Any]], tuple[Any, ...]]] = []

    def get(self) -> dict[str, Any]:
        """Returns the metadata, including all added entries."""
        extras, self.extras = self.extras, []
        for function, args in extras:
            self.data = {**self.data, **function(*args)}
        return self.data

    def add(self, func: Callable[..., Mapping[str, Any]], args: tuple[Any, ...]) -> None:
        """Adds the entries that ``func(*args)`` returns; it is called by ``get``."""
        self.extras.append((func, args))
