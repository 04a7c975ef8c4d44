"""Fixtures of stock Triton with blockdsl as its driver, and caches for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import blockdsl


@pytest.fixture(autouse=True)
def on_the_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Activates our driver during a test, even if a GPU's driver is active."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    with blockdsl.triton.activate():
        yield
