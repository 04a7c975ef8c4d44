"""Which device the kernels of test/python/language and test_examples.py run on: ``--device cuda`` needs a GPU."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", choices=("cpu", "cuda"), default="cpu", help="where kernels run")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "host_memory: the kernel is given addresses of host memory, which a GPU has not")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--device") == "cuda":
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("host_memory")])
        items[:] = [item for item in items if not item.get_closest_marker("host_memory")]


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    """Where tensors are made."""
    name: str = request.config.getoption("--device")
    return name
