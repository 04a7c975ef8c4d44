"""Forks while another thread imports a module that a launch needs, as the first launch of a program does.

A forked child has the forking thread only. It would wait for ever for the locks of modules that another thread was
importing. So a fork waits until no thread imports such a module; ``blockdsl.forks`` has it wait for compilations.
"""

from __future__ import annotations

import os
import threading
import time
from importlib import _bootstrap
from typing import Any

PACKAGES = ("blockdsl", "llvmlite", "numpy", "torch", "triton")
"""Whose modules are imported in the course of a launch."""
PATIENCE = 10.0
"""Seconds that a fork waits for imports."""


def _is_importing() -> bool:
    """Returns whether another thread holds the lock of a module of these packages."""
    thread, locks = threading.get_ident(), getattr(_bootstrap, "_module_locks", {})
    for name, reference in locks.copy().items():
        lock: Any = reference()
        if name.partition(".")[0] in PACKAGES and lock is not None and lock.owner not in (None, thread):
            return True
    return False


def _wait() -> None:
    end = time.monotonic() + PATIENCE
    # Sleeping begins a new turn of this thread, which lasts until the process is forked.
    time.sleep(0)
    while _is_importing() and time.monotonic() < end:
        time.sleep(0.001)


def watch_forks() -> None:
    """Has each fork wait."""
    os.register_at_fork(before=_wait)
