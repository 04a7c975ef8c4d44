"""Files shared by the processes of one run of the tests: object code, and expected results that take long to compute.

LLVM compiles each text once, in the first process to need it: front end and passes run for each test, and many tests
emit the same text. Nothing is kept for another run.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any


def once(path: Path, write: Callable[[Path], object]) -> Path:
    """Writes a file in the first process of a run that needs it, while other processes wait for it."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            part = path.with_name(f"part-{path.name}")
            write(part)
            part.rename(path)
    return path


def sharing(emit: Callable[..., bytes], directory: Path) -> Callable[..., bytes]:
    """Wraps ``emit`` to read earlier results for equal arguments from the directory."""

    @functools.wraps(emit)
    def read_or_emit(*arguments: Any) -> bytes:
        path = directory / hashlib.sha256(repr(arguments).encode()).hexdigest()
        try:
            return path.read_bytes()
        except FileNotFoundError:
            pass
        code = emit(*arguments)
        temporary = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        temporary.write_bytes(code)
        temporary.rename(path)
        return code

    return read_or_emit
