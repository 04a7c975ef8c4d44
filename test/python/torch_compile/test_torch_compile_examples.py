"""Tests of the programs of examples/torch_compile against eager."""

from __future__ import annotations

import importlib

import pytest

LIMITS = {
    "addition": 0.0,
    "sin_cos": 1e-6,
    "user_kernel": 1e-6,
    "own_kernel": 1e-5,
    "packaged": 1e-6,
    "mlp": 1e-4,
    "numpy_gradient": 1e-12,
    "conv_net": 1e-4,
    "transformer_layer": 1e-4,
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.since_torch_2_13 if name == "packaged" else ()) for name in LIMITS]
)
def test_an_example_gives_what_eager_gives(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(f"examples.torch_compile.{name}").main()
    said = capsys.readouterr().out
    assert said.startswith(f"{name}, ")
    assert float(said.split()[-1]) <= LIMITS[name]


def test_points_find_their_means(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("examples.torch_compile.k_means").main(10_000)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(", ")[2] for line in lines] == ["float64", "float32"]
    assert [line.split()[-1] for line in lines] == ["0.0e+00", "0.0e+00"]
