"""Tested versions of Triton."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(params=["3.9", "3.6"])
def triton_version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test with each Triton."""
    version: str = request.param
    # Modules that this process has imported may differ from those on the path.
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    if version == "3.6":
        from gpu_kernels import TRITON_3_6

        assert TRITON_3_6.is_dir(), f"{TRITON_3_6} is missing: run tools/setup.sh"
        monkeypatch.syspath_prepend(TRITON_3_6)
    return version
