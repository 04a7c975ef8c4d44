"""Object code that a run of the tests keeps, so that LLVM compiles a text once, in the process that meets it first.

Front end and passes run for each test. Many tests make a text that another has made. Nothing is kept for another run.
"""

from __future__ import annotations

import functools
import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any


def sharing(emit: Callable[..., bytes], directory: Path) -> Callable[..., bytes]:
    """``emit``, which reads from the directory what was made of equal arguments before."""

    @functools.wraps(emit)
    def read_or_emit(*given: Any) -> bytes:
        path = directory / hashlib.sha256(repr(given).encode()).hexdigest()
        try:
            return path.read_bytes()
        except FileNotFoundError:
            pass
        code = emit(*given)
        part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        part.write_bytes(code)
        part.rename(path)
        return code

    return read_or_emit
