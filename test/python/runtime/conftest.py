"""Fixture of executors: tests around a running kernel run on both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from blockdsl import _runtime


@pytest.fixture(params=["own", "torch"])
def workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Sets the executor for this process and for those that the test starts, and torch's number of threads."""
    monkeypatch.setenv("BLOCKDSL_WORKERS", request.param)
    if request.param == "torch":
        monkeypatch.setenv("OMP_NUM_THREADS", "4")
    _runtime.set_workers(request.param)
    yield request.param
    _runtime.set_workers("auto")
