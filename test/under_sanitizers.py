"""Plugin of pytest for `make sanitize`, in each of its processes: tests run with the instrumented extension."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

# ASan does not know the stack on which kernels are compiled; its vfork would clear far more than that.
subprocess._USE_VFORK = False  # type: ignore[misc]


def pytest_sessionstart(session: pytest.Session) -> None:
    from blockdsl import _runtime

    if "asan" not in Path(_runtime.__file__).parts:
        raise pytest.UsageError(f"tools/sanitize.sh expects the extension of build/asan, got {_runtime.__file__}")
