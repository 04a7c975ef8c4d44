"""Tests of the compilation's start: garbage is collected less often until its end, and Triton is hashed meanwhile."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch._inductor import codecache

from blockdsl.torch_compile.warmup import YOUNG

AS_IN_PYTHON = (700, 10, 10)


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*AS_IN_PYTHON)
    yield
    gc.set_threshold(*before)


thresholds_seen: list[tuple[int, int, int]] = []


def seen_within(graph: Any, inputs: Any) -> Any:
    """A back end that compiles like ours, and records the thresholds when Inductor looks up a lowering."""
    from torch._inductor.graph import GraphLowering

    seen: list[tuple[int, int, int]] = []
    run = GraphLowering.run

    def watched(self: Any, *arguments: Any) -> Any:
        seen.append(gc.get_threshold())
        return run(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GraphLowering, "run", watched)
        from blockdsl.torch_compile import compile_graph

        compiled = compile_graph(graph, inputs)
    assert len(seen) == 1
    thresholds_seen.append(seen[0])
    return compiled


@pytest.mark.parametrize(
    ("before", "within"),
    [
        pytest.param(AS_IN_PYTHON, (YOUNG, 10, 10), id="as_in_python"),
        pytest.param((0, 10, 10), (0, 10, 10), id="off"),
        pytest.param((2 * YOUNG, 5, 5), (2 * YOUNG, 5, 5), id="seldom"),
    ],
)
def test_few_garbage_collections_within_a_graph(before: tuple[int, int, int], within: tuple[int, int, int]) -> None:
    torch._dynamo.reset()
    gc.set_threshold(*before)
    x = torch.randn(100)
    torch.testing.assert_close(
        torch.compile(lambda x: x.sin() + before[0], backend=seen_within)(x), x.sin() + before[0]
    )
    assert thresholds_seen.pop() == within
    assert gc.get_threshold() == before


def test_failed_graph_restores_settings() -> None:
    torch._dynamo.reset()
    with pytest.raises(Exception, match="no_such_setting"):
        torch.compile(lambda x: x + 1, backend="blockdsl", options={"no_such_setting": 1})(torch.randn(3))
    assert gc.get_threshold() == AS_IN_PYTHON


def test_concurrent_settings_are_kept() -> None:
    from blockdsl.torch_compile.warmup import fewer_collections

    with fewer_collections():
        gc.set_threshold(123, 4, 5)
    assert gc.get_threshold() == (123, 4, 5)


@pytest.mark.since_torch_2_13
def test_triton_is_hashed_on_another_thread() -> None:
    from blockdsl.torch_compile.warmup import hash_triton_meanwhile

    before = codecache.triton_key()
    threads: list[str] = []

    def hashed() -> str | None:
        threads.append(threading.current_thread().name)
        return before

    # torch's cache, around a function that records its thread.
    from torch.utils._functools import prefetchable_cache

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codecache, "triton_key", prefetchable_cache(hashed))
        hash_triton_meanwhile()
        assert codecache.triton_key() == before
        patch.setattr(codecache, "triton_key", lambda: before)
        hash_triton_meanwhile()
    assert len(threads) == 1 and threads[0] != threading.main_thread().name


@pytest.mark.since_torch_2_13
def test_triton_is_hashed_from_the_first_graph_on(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[bool] = []
    monkeypatch.setattr(codecache.triton_key, "prefetch", lambda: called.append(True))
    torch._dynamo.reset()
    torch.compile(lambda x: x.cos() + 2, backend="blockdsl")(torch.randn(10))
    assert called


def test_other_hash_implementations_are_not_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    from blockdsl.torch_compile.warmup import hash_triton_meanwhile

    monkeypatch.delattr(codecache, "triton_key", raising=False)
    hash_triton_meanwhile()
