"""Locks between processes: files in a directory, held by ``flock``, which the end of a process releases.

Locks only save duplicate work, so no wait is unbounded. A child that is forked while a thread of its parent holds a
lock would hold it, too, for its whole life; it therefore closes the file.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import warnings
from collections.abc import Iterator

from blockdsl import forks

PATIENCE = 5.0
"""Seconds to wait for a lock whose holder is stopped, or on another machine."""

LONGEST = 120.0
"""Seconds to wait for a lock whose holder is running."""

_open: set[int] = set()
"""The file descriptors of all locks that threads of this process hold or wait for."""


def _close_in_child() -> None:
    for handle in _open:
        with contextlib.suppress(OSError):
            os.close(handle)
    _open.clear()


os.register_at_fork(after_in_child=_close_in_child)


@contextlib.contextmanager
def held(directory: int, name: str) -> Iterator[None]:
    """Holds a lock in an open directory. Continues without it if locks are not supported or the wait is too long."""
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with forks.delayed_forks():  # A forked child must find each inherited file in `_open`.
            handle = os.open(name, flags, 0o600, dir_fd=directory)
            _open.add(handle)
    except OSError:
        yield
        return
    try:
        with contextlib.suppress(OSError):
            _take(handle, name)
        yield
    finally:
        # The file stays: removing it would let a third process lock a name that a second one still waits for.
        with forks.delayed_forks():
            if handle in _open:  # A child that was forked meanwhile has closed it already.
                _open.discard(handle)
                os.close(handle)


def _take(handle: int, name: str) -> None:
    begin = time.monotonic()
    pause = 0.001
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(handle)
            waited = time.monotonic() - begin
            if waited > (LONGEST if _is_running(holder) else PATIENCE):
                warnings.warn(
                    f"the lock '{name}' of the cache is held for more than {waited:.0f} s, by process {holder or '?'}; "
                    "the kernel is compiled without it",
                    RuntimeWarning,
                    stacklevel=5,
                )
                return
        else:
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
            return
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _holder(handle: int) -> int:
    """Returns the id of the last process that took the lock; 0 if the file does not contain one."""
    text = os.pread(handle, 20, 0)
    return int(text) if text.isdigit() else 0


def _is_running(process: int) -> bool:
    """Returns whether the system lists the process as neither stopped nor ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"T", b"t", b"Z", b"X")
    except (OSError, IndexError):
        return False
