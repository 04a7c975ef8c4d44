"""Timing of calls: by the clock on a CPU, by events on a CUDA device."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from blockdsl.errors import LaunchError

Reducer = Callable[[Sequence[float]], Any]

_REDUCERS: dict[str, Reducer] = {
    "mean": lambda times: float(np.mean(times)),
    "median": lambda times: float(np.median(times)),
    "min": min,
    "max": max,
    "all": list,
}

# Bytes written between two repetitions, more than any second-level cache of a GPU holds.
_FLUSHED_BYTES = 256 << 20


def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
    device: str | None = None,
) -> Any:
    """Measures the time of a call in milliseconds, as Triton's function of this name does.

    On ``cuda`` it is the time between two events on the current stream, and the second-level cache is overwritten
    before every repetition, as in Triton. On ``cpu`` it is wall-clock time, and caches are not cleared.

    Args:
        fn: The function to time.
        warmup: Milliseconds of warmup.
        rep: Milliseconds of measurement.
        grad_to_none: Tensors whose gradients are dropped before every call.
        quantiles: The quantiles to return, as a list, instead of one value.
        return_mode: ``mean``, ``median``, ``min``, ``max`` or ``all``.
        device: ``cpu``, or ``cuda`` for the current device, or ``cuda:1``. If absent, ``cuda`` where torch has used a
            CUDA device in this process, else ``cpu``.

    Example:
        ms = blockdsl.testing.do_bench(lambda: add[grid](x, y, out, n, BLOCK=1024), return_mode="min")
    """
    _check(return_mode)
    where = _default_device() if device is None else device
    if where == "cpu":
        times = _times_on_cpu(fn, warmup, rep, grad_to_none or ())
    elif where.partition(":")[0] == "cuda":
        times = _times_on_cuda(fn, warmup, rep, grad_to_none or (), where)
    else:
        raise LaunchError(f"do_bench expects device 'cpu' or 'cuda', got {device!r}")
    return _reduce(times, quantiles, return_mode)


def do_bench_cudagraph(
    fn: Callable[[], object],
    rep: float = 20,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
    device: str = "cuda",
) -> Any:
    """Measures the time of a call on a CUDA device in milliseconds, without the CPU's overhead of launches.

    As many calls as fit into ``rep`` milliseconds are recorded in a CUDA graph, which is replayed.

    Args:
        fn: The function to time; it may only launch, not synchronize.
        rep: Milliseconds of one graph.
        grad_to_none: Tensors whose gradients are dropped before every call.
        quantiles: The quantiles to return, as a list, instead of one value.
        return_mode: ``mean``, ``median``, ``min``, ``max`` or ``all``.
        device: ``cuda`` for the current device, or ``cuda:1``.

    Example:
        ms = blockdsl.testing.do_bench_cudagraph(lambda: add[grid](x, y, out, n, BLOCK=1024))
    """
    _check(return_mode)
    cuda = _cuda("do_bench_cudagraph")
    with _on(cuda, device), cuda.stream(cuda.Stream()):
        fn()
        _drop(grad_to_none or ())
        count = max(1, int(rep / max(_between_events(cuda, fn, 5), 1e-6)))
        graph = cuda.CUDAGraph()
        with cuda.graph(graph):
            for _ in range(count):
                _drop(grad_to_none or ())
                fn()
        cuda.synchronize()
        times = [_between_events(cuda, graph.replay, 1) / count for _ in range(10)]
    return _reduce(times, quantiles, return_mode)


def _check(return_mode: str) -> None:
    if return_mode not in _REDUCERS:
        raise ValueError(f"return_mode is one of {', '.join(_REDUCERS)}, got {return_mode!r}")


def _reduce(times: list[float], quantiles: Sequence[float] | None, return_mode: str) -> Any:
    if quantiles is None:
        return _REDUCERS[return_mode](times)
    found = [float(value) for value in np.quantile(times, quantiles)]
    return found[0] if len(found) == 1 else found


def _drop(tensors: Sequence[Any]) -> None:
    for tensor in tensors:
        tensor.grad = None


def _default_device() -> str:
    """Returns ``cuda`` if torch is imported and has used a CUDA device, else ``cpu``."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return "cuda" if cuda is not None and cuda.is_available() and cuda.is_initialized() else "cpu"


def _cuda(wanted_by: str) -> Any:
    """Returns torch's CUDA module. Raises an error without a device."""
    import torch

    if not torch.cuda.is_available():
        raise LaunchError(
            f"{wanted_by} expects a CUDA device, and torch finds none", hint="do_bench times calls on a CPU"
        )
    return torch.cuda


def _times_on_cpu(fn: Callable[[], object], warmup: float, rep: float, gradients: Sequence[Any]) -> list[float]:
    fn()
    single = _milliseconds(fn, 1)
    if single < rep / 10:
        single = _milliseconds(fn, 5)
    if single < warmup:
        _milliseconds(fn, math.ceil(warmup / max(single, 1e-6)))
    # Short calls are timed in groups, because reading the clock takes part of a microsecond.
    group = max(1, math.ceil(0.02 / max(single, 1e-6)))
    times = []
    for _ in range(max(1, int(rep / max(single * group, 1e-6)))):
        _drop(gradients)
        times.append(_milliseconds(fn, group))
    return times


def _milliseconds(fn: Callable[[], object], count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        fn()
    return (time.perf_counter_ns() - start) / count / 1e6


def _on(cuda: Any, device: str) -> contextlib.AbstractContextManager[Any]:
    """Returns a context in which a device is the current one; ``cuda`` means the current device."""
    where: contextlib.AbstractContextManager[Any] = cuda.device(device) if ":" in device else contextlib.nullcontext()
    return where


def _times_on_cuda(
    fn: Callable[[], object], warmup: float, rep: float, gradients: Sequence[Any], device: str
) -> list[float]:
    import torch

    cuda = _cuda("do_bench on 'cuda'")
    with _on(cuda, device):
        flushed = torch.empty(_FLUSHED_BYTES, dtype=torch.int8, device=device)

        def cold() -> None:
            flushed.zero_()
            fn()

        fn()
        single = max(_between_events(cuda, cold, 5), 1e-6)
        for _ in range(max(1, int(warmup / single))):
            fn()
        # All events are recorded before the first wait, so that the device is never idle between two calls.
        count = max(1, int(rep / single))
        pairs = [(cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)) for _ in range(count)]
        for start, end in pairs:
            _drop(gradients)
            flushed.zero_()
            start.record()
            fn()
            end.record()
        cuda.synchronize()
    return [start.elapsed_time(end) for start, end in pairs]


def _between_events(cuda: Any, fn: Callable[[], object], count: int) -> float:
    """Returns the milliseconds of a call on the current stream, as the mean of ``count`` calls."""
    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    cuda.synchronize()
    start.record()
    for _ in range(count):
        fn()
    end.record()
    cuda.synchronize()
    elapsed: float = start.elapsed_time(end)
    return elapsed / count
