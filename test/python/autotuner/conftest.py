"""Replacement of the clock: ``Scripted``."""

from __future__ import annotations

from collections.abc import Callable

import pytest


class Scripted:
    """A ``do_bench`` that launches once, and returns the given times, one after the other."""

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
