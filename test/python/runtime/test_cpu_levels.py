"""Tests of ``BLOCKDSL_CPU``: the instructions in use, caches that machines share, and CPUs that lack a feature."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blockdsl import knobs
from blockdsl.compiler import target
from blockdsl.compiler.target import Target, host_identity, vector_registers
from blockdsl.errors import TargetError

PROGRAM = Path(__file__).with_name("cpu_levels_program.py")
ZEN_3 = "x86_64;vendor_id=AuthenticAMD;model=33;flags=fpu sse2 avx2 fma f16c"
SKYLAKE = "x86_64;vendor_id=GenuineIntel;model=85;flags=fpu sse2 avx2 fma f16c avx512f avx512bw avx512dq avx512vl"
CACHED = (host_identity, Target.host)


def run(level: str, cache: Path) -> list[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "BLOCKDSL_CACHE": "1",
        "BLOCKDSL_CACHE_DIR": str(cache),
        "BLOCKDSL_CPU": level,
    }
    done = subprocess.run([sys.executable, PROGRAM], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="runs instructions of x86-64")
def test_a_level_is_compiled_for_and_kept_beside_others(tmp_path: Path) -> None:
    assert run("x86-64-v2", tmp_path) == ["compiled", "x86-64-v2", "128"]
    assert run("x86-64-v3", tmp_path) == ["compiled", "x86-64-v3", "256"]
    assert run("x86-64-v3", tmp_path) == ["loaded", "x86-64-v3", "256"]
    assert run("native", tmp_path)[0] == "compiled"


@pytest.fixture
def uncached(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    for function in CACHED:
        function.cache_clear()
    yield
    for function in CACHED:
        function.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, identity: str) -> str:
    """Returns the identity of the target on another machine."""
    monkeypatch.setattr(target, "_system_identity", lambda: identity)
    host_identity.cache_clear()
    return host_identity()


@pytest.mark.usefixtures("uncached")
def test_machines_share_the_kernels_of_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CPU", "x86-64-v3")
    assert pretend(monkeypatch, ZEN_3) == pretend(monkeypatch, SKYLAKE)
    assert vector_registers() == 16
    monkeypatch.setenv("BLOCKDSL_CPU", "x86-64-v4")
    pretend(monkeypatch, SKYLAKE)
    assert vector_registers() == 32
    monkeypatch.setenv("BLOCKDSL_CPU", "native")
    assert pretend(monkeypatch, ZEN_3) != pretend(monkeypatch, SKYLAKE)


@pytest.mark.usefixtures("uncached")
@pytest.mark.parametrize(("level", "lacking"), [
    ("x86-64-v4", "has no avx512f, avx512bw, avx512dq, avx512vl"), ("aarch64", "is x86_64")])  # fmt: skip
def test_a_level_beyond_this_cpu_is_refused(level: str, lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CPU", level)
    monkeypatch.setattr(target, "_system_identity", lambda: ZEN_3)
    for function in CACHED:
        with pytest.raises(TargetError) as caught:
            function()
        assert f"BLOCKDSL_CPU={level} is not for this CPU, which {lacking}" in str(caught.value)
        assert "name a lower level" in str(caught.value)


def test_an_unknown_level_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CPU", "avx2")
    with pytest.warns(RuntimeWarning, match="BLOCKDSL_CPU='avx2' is ignored: expects native or one of x86-64, "):
        assert knobs.CPU.get() is None


def test_every_level_is_a_baseline() -> None:
    assert [Target.baseline(name).cpu for name in knobs.CPUS[:-1]] == list(knobs.CPUS[:-1])
    assert Target.baseline("aarch64").vector_bits == 128
