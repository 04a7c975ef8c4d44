"""do_bench and assert_close."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

from blockdsl.testing import assert_close, do_bench


def test_do_bench_measures_milliseconds() -> None:
    assert 2 <= do_bench(lambda: time.sleep(0.002), warmup=1, rep=20, return_mode="min") < 50


def test_do_bench_times_short_calls() -> None:
    assert 0 < do_bench(lambda: None, warmup=1, rep=5) < 0.05


def test_do_bench_gives_what_is_asked_for() -> None:
    def bench(**options: object) -> object:
        return do_bench(lambda: time.sleep(0.001), warmup=1, rep=10, **options)

    low, high = bench(quantiles=[0.1, 0.9])
    assert 1 <= low <= high
    assert isinstance(bench(quantiles=[0.5]), float)
    assert len(bench(return_mode="all")) > 1
    with pytest.raises(ValueError, match="return_mode is one of mean, median, min, max, all, got 'best'"):
        bench(return_mode="best")


def test_do_bench_drops_gradients() -> None:
    weight = torch.ones(2, requires_grad=True)
    weight.grad = torch.ones(2)
    do_bench(lambda: None, warmup=1, rep=1, grad_to_none=[weight])
    assert weight.grad is None


def test_assert_close() -> None:
    assert_close(torch.ones(3, dtype=torch.bfloat16, requires_grad=True), np.ones(3))
    with pytest.raises(AssertionError, match="here"):
        assert_close(torch.ones(3), torch.ones(3) + 0.1, err_msg="here")
