"""Every test has a cache directory of its own; ``Scripted`` stands in for the clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "cache"
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(directory))
    return directory


class Scripted:
    """A ``do_bench`` that launches once, and gives the times it was told, in turn."""

    def __init__(self, *times: float) -> None:
        self.times = times
        self.calls = 0

    def __call__(self, call: Callable[[], object], quantiles: tuple[float, ...]) -> list[float]:
        assert quantiles == (0.5, 0.2, 0.8)
        call()
        self.calls += 1
        return [self.times[(self.calls - 1) % len(self.times)]] * 3


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted
