"""Fixture of executors: tests around a running kernel run on both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from blockdsl import _runtime


@pytest.fixture(params=["own", "torch"])
def workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """For this process, and for those that the test starts, where torch has as many threads as they launch on."""
    monkeypatch.setenv("BLOCKDSL_WORKERS", request.param)
    if request.param == "torch":
        monkeypatch.setenv("OMP_NUM_THREADS", "4")
    _runtime.set_workers(request.param)
    yield request.param
    _runtime.set_workers("auto")
