"""Implementations of Triton's settings: an environment variable, an object, or a fixed value."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from blockdsl.errors import TargetError

Restore = Callable[[], None]


@dataclass(frozen=True)
class Mirror:
    """A setting that is stored in an environment variable.

    Attributes:
        name: The variable.
        read: Returns the current value.
        text: Returns the variable's text for a value.
    """

    name: str
    read: Callable[[], Any]
    text: Callable[[Any], str]

    def write(self, value: Any, called: str) -> None:
        del called
        if value is None:
            self.clear()
        else:
            os.environ[self.name] = self.text(value)

    def clear(self) -> None:
        os.environ.pop(self.name, None)

    def kept(self) -> Restore:
        """Returns a function that restores the current value."""
        before = os.environ.get(self.name)
        return self.clear if before is None else lambda: os.environ.update({self.name: before})


class Held:
    """A setting of this process: the value set last, or else the result of ``default``."""

    def __init__(self, default: Callable[[], Any], expected: str, fits: Callable[[Any], bool]) -> None:
        self._default, self._expected, self._fits = default, expected, fits
        self._set: list[Any] = []

    def read(self) -> Any:
        return self._set[0] if self._set else self._default()

    def write(self, value: Any, called: str) -> None:
        if value is not None and not self._fits(value):
            raise TargetError(f"{called} is {self._expected} or None, got {value!r}")
        self._set = [value]

    def clear(self) -> None:
        self._set = []

    def kept(self) -> Restore:
        """Returns a function that restores the current value."""
        before = self._set

        def restore() -> None:
            self._set = before

        return restore


@dataclass(frozen=True)
class Fixed:
    """A setting with a fixed value. Setting any other value is an error."""

    value: Any

    def read(self) -> Any:
        return self.value

    def write(self, value: Any, called: str) -> None:
        if value != self.value:
            raise TargetError(
                f"{called} is {self.value!r} here and cannot be another, got {value!r}",
                hint="`python -m blockdsl env` lists every setting",
            )

    def clear(self) -> None:
        """Does nothing: the value is fixed."""

    def kept(self) -> Restore:
        """Returns a function that restores the current value."""
        return self.clear


Setting = Mirror | Held | Fixed


def flag(value: Any) -> str:
    """Returns a flag as a variable's text."""
    return "1" if value else "0"


def _is_set(name: str, default: bool) -> bool:
    # As Triton's getenv_bool reads it.
    text = os.environ.get(name)
    return default if not text else text.lower() in ("1", "true", "on", "y", "yes")


def switch(name: str, default: bool = False) -> Mirror:
    """Returns a setting for a flag that Triton's compiler reads."""
    return Mirror(name, lambda: _is_set(name, default), flag)


def text(name: str, default: str | None = None) -> Mirror:
    """Returns a setting for a text that another library reads."""
    return Mirror(name, lambda: os.environ.get(name, default), str)


def function() -> Held:
    """Returns a setting that holds a function or None."""
    return Held(lambda: None, "a function", callable)


@dataclass(frozen=True)
class NvidiaTool:
    """A program of NVIDIA that Triton calls.

    Attributes:
        path: Its path.
        version: Its version, such as ``12.8``.
    """

    path: str
    version: str

    @staticmethod
    def from_path(path: str) -> NvidiaTool | None:
        """Returns the program at a path, or None if there is none that prints a version."""
        try:
            output = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603
        except (OSError, subprocess.CalledProcessError):
            return None
        found = re.search(r"release (\d+\.\d+)", output)
        return NvidiaTool(path, found[1]) if found else None


def tool(binary: str) -> Mirror:
    """Returns a setting for a program that a variable names, or that Triton contains."""
    name = f"TRITON_{binary.upper().replace('-', '_')}_PATH"

    def read() -> NvidiaTool:
        spec = find_spec("triton")
        folder = Path(spec.origin).parent / "backends" / "nvidia" / "bin" if spec and spec.origin else None
        own = str(folder / f"{binary}{sysconfig.get_config_var('EXE') or ''}") if folder else None
        found = (NvidiaTool.from_path(path) for path in (os.environ.get(name), own) if path)
        known = next((each for each in found if each is not None), None)
        if known is None:
            raise TargetError(f"there is no {binary}", hint=f"{name} says where it is; Triton brings one")
        return known

    return Mirror(name, read, str)
