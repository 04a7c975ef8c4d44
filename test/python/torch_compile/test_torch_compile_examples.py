"""The programs of examples/torch_compile give what eager gives."""

from __future__ import annotations

import importlib

import pytest

LIMITS = {
    "addition": 0.0,
    "sin_cos": 1e-6,
    "user_kernel": 1e-6,
    "own_kernel": 1e-5,
    "mlp": 1e-4,
    "conv_net": 1e-4,
    "transformer_layer": 1e-4,
}


@pytest.mark.parametrize("name", LIMITS)
def test_an_example_gives_what_eager_gives(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(f"examples.torch_compile.{name}").main()
    said = capsys.readouterr().out
    assert said.startswith(f"{name}, ")
    assert float(said.split()[-1]) <= LIMITS[name]
