"""Lazily computed metadata of a launch for hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class LazyDict:
    """What is told of a launch: ``get()`` gives it, and what a kernel's ``launch_metadata`` adds is made then."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)
        self.extras: list[tuple[Callable[..., Mapping[str, Any]], tuple[Any, ...]]] = []

    def get(self) -> dict[str, Any]:
        """All of it."""
        extras, self.extras = self.extras, []
        for function, args in extras:
            self.data = {**self.data, **function(*args)}
        return self.data

    def add(self, func: Callable[..., Mapping[str, Any]], args: tuple[Any, ...]) -> None:
        """Adds what ``func(*args)`` will give."""
        self.extras.append((func, args))
