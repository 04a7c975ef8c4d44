"""Object code shared within a run of the tests, so that LLVM compiles each text once, in the first process to need it.

Front end and passes run for each test; many tests emit the same text. Nothing is kept for another run.
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
