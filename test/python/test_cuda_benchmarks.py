"""The GPU's benchmarks as far as a CPU can run them: the kernels are Triton's file, and compute what torch does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.cuda import cases, kernel_time, sources
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


def test_both_compilers_have_the_same_kernels() -> None:
    ours, theirs = sources.load(sources.OURS), sources.load(sources.TRITON)
    names = {name for name, value in vars(ours).items() if isinstance(value, JITFunction)}
    assert names == {"add", "softmax", "layer_norm", "leaky_relu", "matmul", "attention", "increment"}
    for name in names:
        assert type(getattr(theirs, name)).__module__.startswith("triton.")
        assert getattr(theirs, name).fn.__code__.co_code == getattr(ours, name).fn.__code__.co_code


def test_a_row_of_the_table_says_what_was_measured() -> None:
    row = {
        "kernel": "add", "size": "2^28", "error": 0.0, "seconds": 1e-3, "triton_seconds": 2e-3,
        "ratio": [0.49, 0.5, 0.51], "bytes_per_second": 3.2e12, "operations_per_second": 0.0, "held": False,
    }  # fmt: skip
    text = kernel_time.table([row])
    assert "0.500 (0.490 to 0.510)" in text
    assert "3.20 TB/s" in text
