"""Fixtures of stock Triton with blockdsl as its driver, and caches for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import blockdsl


@pytest.fixture(autouse=True)
def on_the_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Launches go to us for the length of a test, also where a GPU's driver works."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    with blockdsl.triton.activate():
        yield
