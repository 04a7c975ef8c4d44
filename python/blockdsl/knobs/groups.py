"""Settings under Triton's names, such as ``knobs.runtime.launch_enter_hook`` and ``knobs.cache.dir``.

A setting for an environment variable reads and sets that variable. A setting that blockdsl does not support has a fixed
value and refuses others, so that no setting is silently ignored.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from blockdsl.errors import TargetError
from blockdsl.knobs.hooks import Hook, HookChain, calls_of
from blockdsl.knobs.settings import Held, Restore, Setting


class Group:
    """Settings under one of Triton's names."""

    def __init__(self, title: str, settings: Mapping[str, Setting]) -> None:
        self.__dict__["_title"] = title
        self.__dict__["_settings"] = settings

    def __getattr__(self, name: str) -> Any:
        setting = self._settings.get(name)
        if setting is None:
            raise AttributeError(f"knobs.{self._title} has no '{name}'; it has {', '.join(self._names())}")
        return setting.read()

    def __setattr__(self, name: str, value: Any) -> None:
        self._known(name).write(value, f"knobs.{self._title}.{name}")

    def __delattr__(self, name: str) -> None:
        """Resets a setting to its default."""
        self._known(name).clear()

    @property
    def knobs(self) -> dict[str, Any]:
        """The values of all settings, by name."""
        return {name: setting.read() for name, setting in self._settings.items()}

    def reset(self) -> Group:
        """Resets all settings to their defaults."""
        for name in self._names():
            delattr(self, name)
        return self

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Context that restores all settings at its end."""
        restore = [setting.kept() for setting in self._settings.values()]
        try:
            yield
        finally:
            for each in restore:
                each()

    def _names(self) -> list[str]:
        return sorted(self._settings)

    def _known(self, name: str) -> Setting:
        setting: Setting | None = self._settings.get(name)
        if setting is None:
            raise TargetError(
                f"knobs.{self._title}.{name} means nothing here",
                hint=f"knobs.{self._title} has {', '.join(self._names()) or 'nothing'}; "
                "`python -m blockdsl env` lists every setting",
            )
        return setting

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._names()]


class LanguageGroup(Group):
    """Defaults of the front end."""

    def fp_fusion_enabled(self, requested: bool | None) -> bool:
        """Returns whether a multiplication and an addition may become one operation. ``requested`` is the option of the
        launch, or None."""
        enabled = self.default_fp_fusion if requested is None else requested
        return bool(enabled) and not self.force_disable_fp_fusion


class Chain(Held):
    """A chain of hooks. A program adds hooks, or replaces the chain with a function or None."""

    def __init__(self, is_reversed: bool = False) -> None:
        self._is_reversed = is_reversed
        self._chain = HookChain(is_reversed)
        super().__init__(lambda: self._chain, "a function", callable)

    def clear(self) -> None:
        super().clear()
        self._chain = HookChain(self._is_reversed)

    def kept(self) -> Restore:
        """Returns a function that restores the current value."""
        restore, chain = super().kept(), self._chain

        def both() -> None:
            restore()
            self._chain = chain

        return both


class RuntimeGroup(Group):
    """The hooks of launches. The launcher observes changes, so that launches without hooks do no lookup."""

    def __init__(self, settings: Mapping[str, Setting]) -> None:
        super().__init__("runtime", settings)
        self.__dict__["_observers"] = []

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        self._tell()

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._tell()

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Context that restores all settings at its end."""
        try:
            with super().scope():
                yield
        finally:
            self._tell()

    def observe(self, callback: Callable[[list[Hook], list[Hook]], None]) -> None:
        """Calls a function with the lists of enter and exit hooks, now and whenever they change."""
        self._observers.append(callback)
        self._tell()

    def _tell(self) -> None:
        for callback in self._observers:
            callback(calls_of(self.launch_enter_hook), calls_of(self.launch_exit_hook))
