"""do_bench on both devices, and assert_close. There is no CUDA device in these tests: torch.cuda is mocked."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from blockdsl.errors import LaunchError
from blockdsl.testing import assert_close, do_bench, do_bench_cudagraph


def test_do_bench_measures_milliseconds() -> None:
    assert 2 <= do_bench(lambda: time.sleep(0.002), warmup=1, rep=20, return_mode="min") < 50


def test_do_bench_times_short_calls() -> None:
    assert 0 < do_bench(lambda: None, warmup=1, rep=5) < 0.05


def test_do_bench_return_modes() -> None:
    def bench(**options: object) -> object:
        return do_bench(lambda: time.sleep(0.001), warmup=1, rep=10, **options)

    low, high = bench(quantiles=[0.1, 0.9])
    assert 1 <= low <= high
    assert isinstance(bench(quantiles=[0.5]), float)
    every = bench(return_mode="all")
    # The number of runs depends on the time of the first five.
    assert isinstance(every, list) and min(every) >= 1
    with pytest.raises(ValueError, match="return_mode is one of mean, median, min, max, all, got 'best'"):
        bench(return_mode="best")


def test_do_bench_drops_gradients() -> None:
    weight = torch.ones(2, requires_grad=True)
    weight.grad = torch.ones(2)
    do_bench(lambda: None, warmup=1, rep=1, grad_to_none=[weight])
    assert weight.grad is None


class FakeEvent:
    def __init__(self, fake: FakeCUDA) -> None:
        self.fake = fake

    def record(self) -> None:
        self.at = self.fake.now
        self.fake.told.append("record")

    def elapsed_time(self, end: FakeEvent) -> float:
        return end.at - self.at


class FakeGraph:
    def __init__(self, fake: FakeCUDA) -> None:
        self.fake, self.calls = fake, 0

    def replay(self) -> None:
        self.fake.now += 0.25 * self.calls


class FakeCUDA:
    """Mocks torch.cuda and its clock, as used for timing: a call takes a quarter of a millisecond, a flush one."""

    def __init__(self) -> None:
        self.now = 0.0
        self.told: list[str] = []
        self.recording: FakeGraph | None = None

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return True

    def synchronize(self) -> None:
        self.told.append("synchronize")

    def Event(self, enable_timing: bool) -> FakeEvent:  # noqa: N802 - torch's name
        assert enable_timing
        return FakeEvent(self)

    def Stream(self) -> object:  # noqa: N802 - torch's name
        return object()

    def stream(self, stream: object) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def device(self, name: str) -> Iterator[None]:
        self.told.append(f"on {name}")
        yield
        self.told.append(f"off {name}")

    def CUDAGraph(self) -> FakeGraph:  # noqa: N802 - torch's name
        return FakeGraph(self)

    @contextlib.contextmanager
    def graph(self, graph: FakeGraph) -> Iterator[None]:
        self.recording = graph
        yield
        self.recording = None

    def call(self) -> None:
        if self.recording is not None:
            self.recording.calls += 1
            return
        self.now += 0.25
        self.told.append("call")

    def zero_(self) -> None:
        self.now += 1.0
        self.told.append("flush")


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCUDA:
    fake = FakeCUDA()
    monkeypatch.setattr(torch, "cuda", fake)
    monkeypatch.setattr(torch, "empty", lambda *sizes, **options: fake)
    return fake


def test_on_cuda_the_cache_is_flushed_outside_of_the_events(cuda: FakeCUDA) -> None:
    weight = torch.ones(2, requires_grad=True)
    weight.grad = torch.ones(2)
    assert do_bench(cuda.call, warmup=1, rep=4, grad_to_none=[weight]) == 0.25
    assert weight.grad is None
    repetition = ["flush", "record", "call", "record"]
    assert cuda.told[-13:] == [*repetition * 3, "synchronize"]
    assert do_bench(cuda.call, device="cuda:1", return_mode="all") == [0.25] * 80
    assert cuda.told[-1] == "off cuda:1"


def test_clock_is_used_on_request(cuda: FakeCUDA) -> None:
    do_bench(cuda.call, warmup=1, rep=1, device="cpu")
    assert set(cuda.told) == {"call"}


def test_a_graph_is_recorded_and_played(cuda: FakeCUDA) -> None:
    assert do_bench_cudagraph(cuda.call, rep=5, return_mode="all") == [0.25] * 10
    assert cuda.told.count("call") == 6


def test_missing_cuda_device_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for bench in (do_bench_cudagraph, lambda fn: do_bench(fn, device="cuda")):
        with pytest.raises(LaunchError, match="expects a CUDA device, and torch finds none"):
            bench(lambda: None)
    with pytest.raises(LaunchError, match="do_bench expects device 'cpu' or 'cuda', got 'gpu'"):
        do_bench(lambda: None, device="gpu")


def test_slow_call_is_not_repeated() -> None:
    calls = []
    do_bench(lambda: (calls.append(1), time.sleep(0.05)), warmup=10, rep=20)
    assert len(calls) == 3


def test_assert_close() -> None:
    assert_close(torch.ones(3, dtype=torch.bfloat16, requires_grad=True), np.ones(3))
    with pytest.raises(AssertionError, match="here"):
        assert_close(torch.ones(3), torch.ones(3) + 0.1, err_msg="here")
    assert_close(torch.ones(3), torch.ones(3) + 0.1, atol=lambda dtype: 0.2 if dtype == torch.float32 else 0.0)
    assert_close(torch.ones(3), torch.ones(3) + 0.1, atol=0, rtol=0.1)
