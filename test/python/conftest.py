"""Which device the kernels of test/python/language and test_examples.py run on: ``--device cuda`` needs a GPU."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", choices=("cpu", "cuda"), default="cpu", help="where kernels run")


def pytest_configure(config: pytest.Config) -> None:
    said = "cpu_only: holds on CPUs: host addresses, meanings that Triton leaves open, products too short for a GPU"
    config.addinivalue_line("markers", said)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--device") == "cuda":
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("cpu_only")])
        items[:] = [item for item in items if not item.get_closest_marker("cpu_only")]


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    """Where tensors are made."""
    name: str = request.config.getoption("--device")
    return name
