"""Tests of the GPU's benchmarks as far as a CPU runs them: Triton's file of kernels, against torch."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch

from benchmarks.cuda import cases, kernel_time, sources
from benchmarks.memory import growth
from blockdsl import JITFunction

CASES: list[Callable[[str], cases.Case]] = [
    lambda device: cases.vector_add(5000, device),
    lambda device: cases.softmax(7, 300, device),
    lambda device: cases.layer_norm(5, 200, device),
    lambda device: cases.matmul(256, device),
    lambda device: cases.attention(1, 2, 256, 64, device),
]


@pytest.mark.parametrize("make", CASES)
def test_a_timed_kernel_is_right(make: Callable[[str], cases.Case], device: str) -> None:
    case = make(device)
    kernels = sources.load(sources.OURS)
    expected = case.reference().double()
    case.launch(kernels).fill_(float("nan"))
    error = float((case.launch(kernels).double() - expected).abs().max())
    assert error <= case.tolerance


def test_timed_launch_kernel(device: str) -> None:
    x = torch.arange(100.0, device=device)
    sources.load(sources.OURS).increment[(2,)](x, 100, BLOCK=64)
    assert torch.equal(x, torch.arange(100.0, device=device) + 1)


def test_both_compilers_have_the_same_kernels() -> None:
    ours, stock = sources.load(sources.OURS), sources.load(sources.TRITON)
    names = {name for name, value in vars(ours).items() if isinstance(value, JITFunction)}
    assert names == {"add", "softmax", "layer_norm", "leaky_relu", "matmul", "attention", "increment"}
    for name in names:
        assert type(getattr(stock, name)).__module__.startswith("triton.")
        assert getattr(stock, name).fn.__code__.co_code == getattr(ours, name).fn.__code__.co_code


@pytest.mark.parametrize("errors", [(0.25, 0.0), (0.0, 0.25), (0.0, 2.0)])
def test_the_error_is_that_of_the_worse_compiler(errors: tuple[float, float], capsys: Any) -> None:
    kernels = {name: ModuleType(name) for name in (sources.OURS, sources.TRITON)}
    off = dict(zip(kernels.values(), errors, strict=True))
    outputs = {module: torch.ones(3) for module in kernels.values()}

    def launch(module: ModuleType) -> torch.Tensor:
        return outputs[module].fill_(1 + off[module])

    case = cases.Case("ones", "3", launch, lambda: torch.ones(3), tolerance=1.0)
    if max(errors) > 1:
        with pytest.raises(SystemExit, match=r"ones: triton is off by 2\.00e\+00"):
            kernel_time.check(case, kernels)
        return
    assert kernel_time.check(case, kernels) == 0.25
    assert "differ by 2.5e-01" in capsys.readouterr().out


def test_row_reports_its_measurement() -> None:
    row = {
        "kernel": "add", "size": "2^28", "error": 0.0, "seconds": 1e-3, "triton_seconds": 2e-3,
        "ratio": [0.49, 0.5, 0.51], "bytes_per_second": 3.2e12, "operations_per_second": 0.0, "held": False,
    }  # fmt: skip
    text = kernel_time.table([row])
    assert "0.500 (0.490 to 0.510)" in text
    assert "3.20 TB/s" in text


def test_repeated_growth_is_distinguished_from_transient() -> None:
    retained: list[bytes] = []

    def once() -> None:
        if not retained:
            retained.extend(bytes(1000) for _ in range(1000))

    first, then = growth(once)
    assert first.heap >= 1000 * 1000 > 10_000 > then.heap
    assert first.blocks >= 1000 > 100 > then.blocks
    assert min(each.heap for each in growth(lambda: retained.extend(bytes(1000) for _ in range(1000)))) >= 1000 * 1000
