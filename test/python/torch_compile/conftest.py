"""Fixtures of compiled graphs: nothing compiled before, and caches for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch


@pytest.fixture(autouse=True)
def anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Clears earlier compilations and the active driver for each test."""
    from torch._inductor import config
    from torch._inductor.utils import fresh_cache
    from triton.runtime import driver

    before = driver._active
    torch.manual_seed(0)
    torch._dynamo.reset()
    # In this process, because starting others takes seconds, and has its own test.
    with fresh_cache(), config.patch(compile_threads=1):
        yield
    torch._dynamo.reset()
    driver._active = before
