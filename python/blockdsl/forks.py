"""Handling of ``os.fork`` while other threads compile. lib/Runtime handles the threads of launches.

A child has the forking thread only. A lock that another thread held at the fork stays held in the child, and the state
that it guards, such as LLVM's, may be inconsistent. So a fork waits until no kernel is being compiled, and locks are
acquired before it or reinitialized in the child.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, overload

PATIENCE = 10.0
"""Seconds that a fork waits for compilations of other threads, and for locks. After a timeout the child's compiler may
be unusable, but no lock stays held."""

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801 - replaces functools.cached_property, under its name
    """A property that is computed once per instance, without a lock.

    Until Python 3.12, ``functools.cached_property`` has one lock for all instances, which a forked child may inherit
    in held state. Here several threads may compute the value concurrently, but all get the same object.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = self._function(instance)
        # Written to the dictionary, because frozen dataclasses forbid setattr.
        return instance.__dict__.setdefault(self._name, value)


class _Compilations:
    """Registry of the compiling threads. A fork waits for them, and new compilations wait for the fork."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.depths: dict[int, int] = {}
        self.forks = 0

    def enter(self, waits: bool) -> None:
        thread = threading.get_ident()
        with self.changed:
            if waits and thread not in self.depths:
                self.changed.wait_for(lambda: not self.forks, PATIENCE)
            self.depths[thread] = self.depths.get(thread, 0) + 1

    def leave(self) -> None:
        thread = threading.get_ident()
        with self.changed:
            remaining = self.depths.pop(thread, 1) - 1
            if remaining:
                self.depths[thread] = remaining
            else:
                self.changed.notify_all()

    def begin_fork(self) -> None:
        thread = threading.get_ident()
        with self.changed:
            self.forks += 1
            if not self.changed.wait_for(lambda: not self.depths.keys() - {thread}, PATIENCE):
                message = f"a process is forked while a kernel is being compiled, for more than {PATIENCE:.0f} s by now"
                warnings.warn(message, RuntimeWarning, stacklevel=3)

    def end_fork(self) -> None:
        with self.changed:
            self.forks -= 1
            self.changed.notify_all()

    def start_in_child(self) -> None:
        """Removes the threads that the child does not have."""
        thread = threading.get_ident()
        self.changed = threading.Condition()
        self.depths = {thread: self.depths[thread]} if thread in self.depths else {}
        self.forks = 0


_compilations = _Compilations()
_renewed: weakref.WeakSet[Any] = weakref.WeakSet()
_taken: list[Any] = []
_held: dict[int, list[Any]] = {}
"""The locks acquired for a fork, by forking thread."""


@contextlib.contextmanager
def delayed_forks(is_waited_for: bool = False) -> Iterator[None]:
    """Delays forks by other threads until the end of the block. A fork that already waits is done first.

    Args:
        is_waited_for: Another thread in a block of its own waits for this thread, which thus must not wait for a fork.

    Example:
        with forks.delayed_forks():
            code = cpu.emit_object(llvm_ir, target)
    """
    _compilations.enter(waits=not is_waited_for)
    try:
        yield
    finally:
        _compilations.leave()


def renewed_lock() -> threading.RLock:
    """Returns a new reentrant lock that is free in a forked child, unless the forking thread itself holds it."""
    lock = threading.RLock()
    _renewed.add(lock)
    return lock


def take_before_forks(lock: Any) -> None:
    """Registers a reentrant lock of another library, which each fork acquires. It is free in the child in any case."""
    if not any(lock is known for known in _taken):
        _taken.append(lock)
        _renewed.add(lock)


def _before_fork() -> None:
    _compilations.begin_fork()
    end = time.monotonic() + PATIENCE
    locks = _held.setdefault(threading.get_ident(), [])
    locks += [lock for lock in _taken if lock.acquire(timeout=max(0.0, end - time.monotonic()))]


def _release() -> None:
    for lock in _held.pop(threading.get_ident(), ()):
        lock.release()


def _after_fork_in_parent() -> None:
    _release()
    _compilations.end_fork()


def _after_fork_in_child() -> None:
    _release()
    _held.clear()
    for lock in _renewed:
        if not lock._is_owned():
            lock._at_fork_reinit()
    _compilations.start_in_child()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
