"""The language's tests run every kernel both compiled and interpreted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from blockdsl import interpreter

sys.path.insert(0, str(Path(__file__).parent))

from reference_checks import Run


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Objects of these tests stay out of the user's cache."""
    patch = pytest.MonkeyPatch()
    patch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


@pytest.fixture(params=["interpreted", "compiled"])
def run(request: pytest.FixtureRequest) -> Run:
    """``run(kernel, grid, *args, **constexprs)`` in the way that the test is run for."""
    if request.param == "compiled":
        return lambda kernel, grid, *args, **kwargs: kernel[grid](*args, **kwargs) and None

    def interpret(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> None:
        names = [parameter.name for parameter in kernel.source.parameters]
        interpreter.run(kernel.source, {**dict(zip(names, args, strict=False)), **kwargs}, grid)

    return interpret
