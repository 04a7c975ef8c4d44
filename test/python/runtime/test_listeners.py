"""Listeners of compilations and searches, and the hooks around loading a kernel."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import knobs
from blockdsl.compiler import ASTSource


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """Records the calls of listeners; the cache is empty."""
    monkeypatch.setenv("BLOCKDSL_CACHE", "1")
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "kernels"))
    seen: list[dict[str, Any]] = []
    with knobs.compilation.scope(), knobs.autotuning.scope(), knobs.runtime.scope():
        yield seen


def make() -> Any:
    """Returns a kernel that this process has not compiled."""

    @blockdsl.jit
    def doubled(x_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)

    return doubled


@pytest.mark.parametrize("where", ["here", "process"])
def test_compilations_are_reported(where: str, reports: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_COMPILE", where)
    knobs.compilation.listener = lambda **each: reports.append(each)
    kernel, x = make(), torch.ones(8)
    compiled = kernel[(1,)](x, 8, BLOCK=8)
    kernel[(1,)](x, 8, BLOCK=8)
    (first,) = reports
    assert set(first) == {"src", "metadata", "metadata_group", "times", "cache_hit"}
    assert isinstance(first["src"], ASTSource)
    assert first["src"].fn is kernel
    assert first["metadata"] == compiled.metadata._asdict()
    assert [Path(path).is_file() for path in first["metadata_group"].values()] == [True]
    times = first["times"]
    stages = ["linalg", "nests", "loops", "llvm", "llir", "asm"] if where == "here" else []
    assert [stage for stage, _ in times.lowering_stages] == stages
    assert times.total == times.ir_initialization + times.total_lowering + times.store_results > 0
    assert not first["cache_hit"]
    make()[(1,)](x, 8, BLOCK=8)
    assert reports[1]["cache_hit"]
    assert reports[1]["times"].lowering_stages == []
    assert reports[1]["times"].ir_initialization > 0


def test_compilations_for_gpus_are_reported(reports: list[dict[str, Any]]) -> None:
    knobs.compilation.listener = lambda **each: reports.append(each)
    make().warmup(torch.float32, 8, BLOCK=8, grid=(1,), target="cuda:90")
    (first,) = reports
    assert [stage for stage, _ in first["times"].lowering_stages] == ["handoff", "cubin"]
    assert first["metadata"]["target"].backend == "cuda"


@pytest.mark.parametrize("keeps", [False, True])
def test_autotune_choices_are_reported(
    keeps: bool, reports: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    knobs.autotuning.listener = lambda **each: reports.append(each)
    monkeypatch.setenv("TRITON_CACHE_AUTOTUNING", str(int(keeps)))
    configs = [blockdsl.Config({"BLOCK": block}) for block in (4, 8)]
    for number in range(2):
        kernel = make()
        tuned = blockdsl.autotune(configs, key=["n"])(kernel)
        tuned[lambda meta: (blockdsl.cdiv(8, meta["BLOCK"]),)](torch.ones(8), 8)
        tuned[lambda meta: (blockdsl.cdiv(8, meta["BLOCK"]),)](torch.ones(8), 8)
        each = reports[number]
        assert len(reports) == number + 1
        assert each["fn"] is kernel
        assert each["best_config"] is tuned.best_config
        assert each["cache_hit"] is (keeps and number == 1)
        assert (each["duration"] is None) is each["cache_hit"]
        assert set(each["configs_timings"]) == (set() if each["cache_hit"] else set(configs))
    alone = blockdsl.autotune(configs[:1], key=["n"])(make())
    alone[(2,)](torch.ones(8), 8)
    assert len(reports) == 2


def test_hooks_around_loading(reports: list[Any]) -> None:
    for name in ("kernel_load_start_hook", "kernel_load_end_hook", "kernel_unload_hook"):
        getattr(knobs.runtime, name).add(lambda *given, name=name: reports.append((name, *given)))
    kernel = make()
    compiled = kernel[(1,)](torch.ones(8), 8, BLOCK=8)
    kernel[(1,)](torch.ones(8), 8, BLOCK=8)
    files = compiled.metadata_group
    assert reports == [
        ("kernel_load_start_hook", None, None, "doubled", files, compiled.hash),
        ("kernel_load_end_hook", compiled, compiled, "doubled", files, compiled.hash),
    ]
    reports.clear()
    digest = compiled.hash
    del kernel, compiled
    gc.collect()
    assert [(each[0], each[3], each[5]) for each in reports] == [("kernel_unload_hook", "doubled", digest)]


def test_assertions_on_gpus_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = make()
    assert not kernel.warmup(torch.float32, 8, BLOCK=8, grid=(1,), target="cuda:90").options.debug
    with knobs.runtime.scope():
        knobs.runtime.debug = True
        assert make().warmup(torch.float32, 8, BLOCK=8, grid=(1,), target="cuda:90").options.debug
    monkeypatch.setenv("TRITON_DEBUG", "1")
    assert knobs.runtime.debug
