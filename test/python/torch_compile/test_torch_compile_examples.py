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
def test_example_matches_eager(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(f"examples.torch_compile.{name}").main()
    said = capsys.readouterr().out
    assert said.startswith(f"{name}, ")
    assert float(said.split()[-1]) <= LIMITS[name]


def test_points_find_their_means(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("examples.torch_compile.k_means").main(10_000)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(", ")[2] for line in lines] == ["float64", "float32"]
    assert [line.split()[-1] for line in lines] == ["0.0e+00", "0.0e+00"]


@pytest.mark.since_torch_2_13
def test_graphs_are_reported_with_their_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("examples.torch_compile.graphs").main()
    reports = capsys.readouterr().out.strip().split("\n\n")
    forwards = {name: rest.split("backward")[0] for name, rest in (each.split("\n", 1) for each in reports)}
    kernels = {name: each.count("kernel ") for name, each in forwards.items()}
    assert kernels == {
        "sine of a cosine": 1, "softmax": 1, "layer norm": 1, "cross entropy": 2, "attention": 0, "convolution": 3,
        "perceptron": 1, "rows of a table": 1, "running sum": 1, "blur": 1,
    }  # fmt: skip
    assert forwards["perceptron"].count("torch's addmm") == 2
    assert forwards["attention"].count("torch's _scaled_dot_product_flash_attention_for_cpu") == 1
