"""Tests of ``cache_results=True``: the key of the choice on disk, and damaged files."""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import Config

HERE = Path(__file__).parent
SIZES = (16, 32)


@blockdsl.jit
def fill(out_ptr, n, BLOCK: tl.constexpr, KIND: tl.constexpr = None):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, 1.0, mask=offsets < n)


def launch(
    bench: Any, sizes: tuple[int, ...] = SIZES, n: int = 64, key: tuple[str, ...] = ("n",), **further: Any
) -> Any:
    """Launches a kernel that was never launched before in this process; returns its configuration."""
    configs = [Config({"BLOCK": size}) for size in sizes]
    kernel = blockdsl.autotune(configs, key, do_bench=bench, cache_results=True)(fill)
    kernel[lambda meta: (blockdsl.cdiv(n, meta["BLOCK"]),)](torch.zeros(n), n, **further)
    return kernel.best_config.kwargs["BLOCK"]


def test_choice_is_loaded_from_disk(scripted: type) -> None:
    assert launch(scripted(2.0, 1.0)) == 32
    assert launch(again := scripted(1.0, 2.0)) == 32
    assert again.calls == 0


def test_choice_depends_on_key_and_configs(scripted: type) -> None:
    launch(scripted(2.0, 1.0))
    for different in ({"n": 65}, {"sizes": (32, 16)}, {"sizes": (16, 32, 64)}):
        launch(bench := scripted(2.0, 1.0), **different)
        assert bench.calls == len(different.get("sizes", SIZES))


def test_choice_depends_on_number_of_threads(scripted: type, monkeypatch: pytest.MonkeyPatch) -> None:
    from blockdsl import _runtime

    launch(scripted(2.0, 1.0))
    monkeypatch.setattr(_runtime, "get_num_threads", lambda: 77)
    launch(bench := scripted(2.0, 1.0))
    assert bench.calls == 2


def test_process_local_key_is_not_loaded_from_disk(scripted: type) -> None:
    class Kind:
        pass

    for _ in range(2):
        launch(bench := scripted(2.0, 1.0), key=("n", "KIND"), KIND=Kind())
        assert bench.calls == 2


def test_without_a_cache_every_process_searches(scripted: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    for _ in range(2):
        launch(bench := scripted(2.0, 1.0))
        assert bench.calls == 2


def test_damaged_choice_is_recomputed(scripted: type, cache_dir: Path) -> None:
    launch(scripted(2.0, 1.0))
    (choice,) = [file for file in cache_dir.iterdir() if b'"choice": 1' in file.read_bytes()]
    choice.write_bytes(choice.read_bytes().replace(b'"choice": 1', b'"choice": 0'))
    with pytest.warns(RuntimeWarning, match="its header is damaged"):
        assert launch(bench := scripted(2.0, 1.0)) == 32
    assert bench.calls == 2


def search_in_a_process(cache_dir: Path, log: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BLOCKDSL_CACHE_DIR": str(cache_dir)}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, str(HERE / "searching_program.py"), str(log)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_concurrent_processes_search_once(cache_dir: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: search_in_a_process(cache_dir, log), range(4)))
    assert [(result.returncode, result.stderr) for result in results] == [(0, "")] * 4
    assert log.read_text() == "timed\n" * 2
