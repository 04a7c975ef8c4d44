"""Triton's names for what can be set: ``knobs.runtime.launch_enter_hook``, ``knobs.cache.dir`` and their like.

What stands for an environment variable of ours reads and sets that variable. What has no meaning here is refused, so
that nobody takes a setting for heeded that is not.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from blockdsl.errors import TargetError
from blockdsl.knobs.hooks import Hook, HookChain, calls_of


@dataclass(frozen=True)
class Mirror:
    """A setting of Triton's that one of our variables has.

    Attributes:
        name: The variable.
        read: What Triton's name says now.
        write: The variable's text for a value.
    """

    name: str
    read: Callable[[], Any]
    write: Callable[[Any], str]


def flag(value: Any) -> str:
    """A truth as a variable's text."""
    return "1" if value else "0"


class Group:
    """Settings under one of Triton's names."""

    def __init__(self, title: str, mirrors: Mapping[str, Mirror]) -> None:
        self.__dict__["_title"] = title
        self.__dict__["_mirrors"] = mirrors

    def __getattr__(self, name: str) -> Any:
        mirror = self._mirrors.get(name)
        if mirror is None:
            raise AttributeError(f"knobs.{self._title} has no '{name}'; it has {', '.join(self._names())}")
        return mirror.read()

    def __setattr__(self, name: str, value: Any) -> None:
        mirror = self._mirrors.get(name)
        if mirror is None:
            raise self._refused(name)
        os.environ[mirror.name] = mirror.write(value)

    def __delattr__(self, name: str) -> None:
        """Back to what holds where nothing is set."""
        mirror = self._mirrors.get(name)
        if mirror is None:
            raise self._refused(name)
        os.environ.pop(mirror.name, None)

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """What is set in it is as before at its end."""
        before = {mirror.name: os.environ.get(mirror.name) for mirror in self._mirrors.values()}
        try:
            yield
        finally:
            for name, text in before.items():
                if text is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = text

    def _names(self) -> list[str]:
        return sorted(self._mirrors)

    def _refused(self, name: str) -> TargetError:
        return TargetError(
            f"knobs.{self._title}.{name} means nothing here",
            hint=f"knobs.{self._title} has {', '.join(self._names()) or 'nothing'}; "
            "`python -m blockdsl env` lists every setting",
        )

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._names()]


class RuntimeGroup(Group):
    """The hooks.

    Attributes:
        launch_enter_hook: Called before each launch, with its metadata; a chain, a function, or None.
        launch_exit_hook: Called after each launch that did not fail, with the same.
        jit_cache_hook: Called before a kernel is compiled, or taken from the disk; none is if it returns True.
        jit_post_compile_hook: Called after that.
    """

    _HOOKS = ("launch_enter_hook", "launch_exit_hook", "jit_cache_hook", "jit_post_compile_hook")

    def __init__(self, mirrors: Mapping[str, Mirror]) -> None:
        super().__init__("runtime", mirrors)
        self.__dict__["_observers"] = []
        self.__dict__.update(
            launch_enter_hook=HookChain(), launch_exit_hook=HookChain(reversed=True), jit_cache_hook=None,
            jit_post_compile_hook=None,
        )  # fmt: skip

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._HOOKS:
            super().__setattr__(name, value)
            return
        if value is not None and not callable(value):
            raise TargetError(f"knobs.runtime.{name} is a function or None, got {value!r}")
        self.__dict__[name] = value
        self._tell()

    def __delattr__(self, name: str) -> None:
        if name not in self._HOOKS:
            super().__delattr__(name)
            return
        chains = {"launch_enter_hook": HookChain(), "launch_exit_hook": HookChain(reversed=True)}
        self.__dict__[name] = chains.get(name)
        self._tell()

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """What is set in it is as before at its end."""
        before = {name: self.__dict__[name] for name in self._HOOKS}
        try:
            with super().scope():
                yield
        finally:
            self.__dict__.update(before)
            self._tell()

    def observe(self, told: Callable[[list[Hook], list[Hook]], None]) -> None:
        """Has a function told now, and whenever another hook is set, which lists stay empty while none is."""
        self._observers.append(told)
        self._tell()

    def _tell(self) -> None:
        for told in self._observers:
            told(calls_of(self.launch_enter_hook), calls_of(self.launch_exit_hook))

    def _names(self) -> list[str]:
        return sorted((*self._HOOKS, *self._mirrors))
