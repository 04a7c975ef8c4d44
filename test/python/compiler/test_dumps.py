"""Tests of stages that are written to files as Triton writes them, and read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from kernels import made

from blockdsl import knobs
from blockdsl.compiler import cpu_kernel as kernel_module
from blockdsl.compiler import handoff
from blockdsl.knobs import variables

STAGES = {"ttir", "linalg", "nests", "loops", "llvm", "llir", "asm"}


def launched(block: int = 8, **options: Any) -> float:
    """Returns the first element of the result of a newly compiled kernel, for ones."""
    o = torch.zeros(64)
    made()[(1,)](torch.ones(64), o, 64, BLOCK=block, **options)
    return o[0].item()


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of dumped stages; the cache is empty."""
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dumped"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    return tmp_path / "dumped"


@pytest.mark.parametrize("setting", ["here", "process"])
def test_dumps_every_stage(setting: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_COMPILE", setting)
    monkeypatch.setenv("BLOCKDSL_DUMP", "ttir")
    monkeypatch.setenv("BLOCKDSL_DUMP_DIR", str(directory.parent / "ours"))
    assert launched() == 2.5
    (one,) = directory.iterdir()
    assert {path.name for path in one.iterdir()} == {f"raised.{stage}" for stage in STAGES}
    (ours,) = (directory.parent / "ours").iterdir()
    assert (one / "raised.ttir").read_text() == ours.read_text()
    assert "tt.func public @raised" in ours.read_text()
    assert "define" in (one / "raised.llir").read_text()
    # Options of code generation do not change the program's name, but specialization does.
    assert launched(enable_fp_fusion=False) == 2.5
    assert [*directory.iterdir()] == [one]
    assert launched(16) == 2.5
    assert len([*directory.iterdir()]) == 2


def test_override_is_used(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert launched() == 2.5
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(directory))
    (file,) = directory.glob("*/raised.ttir")
    for stage in ("nests", "loops", "llir"):
        file.with_suffix(f".{stage}").unlink()
    text = file.read_text()
    file.write_text(text.replace("1.500000e+00", "3.000000e+00"))
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    assert launched() == 4.0
    assert launched(16) == 2.5
    # The overriding stage of a program is dumped beside the program's other stages.
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    assert launched() == 4.0
    assert {path.parent for path in directory.glob("*/*")} == {file.parent}
    assert "3.000000e+00" in file.read_text()


def test_a_kernel_for_gpus(directory: Path) -> None:
    arguments: Any = (torch.float32, torch.float32, 64)
    compiled = made().warmup(*arguments, BLOCK=64, grid=(1,), target="cuda:90")
    (one,) = directory.iterdir()
    assert {path.suffix[1:] for path in one.iterdir()} == {"ttir", "handoff", "ttgir", "llir", "ptx", "cubin"}
    assert (one / "raised.cubin").read_bytes() == compiled.asm["cubin"]


def test_dumps_with_triton_variables(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    monkeypatch.delenv("TRITON_DUMP_DIR")
    monkeypatch.setenv("TRITON_HOME", str(directory.parent))
    with knobs.compilation.scope(), knobs.cache.scope():
        assert knobs.cache.dump_dir == str(directory.parent / ".triton" / "dump")
        knobs.compilation.dump_ir = True
        knobs.cache.dump_dir = str(directory)
        assert launched() == 2.5
    assert len([*directory.glob("*/raised.*")]) == len(STAGES)
    assert launched(32) == 2.5
    assert len([*directory.iterdir()]) == 1


def test_dumps_kernels_from_the_cache(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    assert launched() == 2.5
    monkeypatch.setenv("BLOCKDSL_DUMP", "ttir,asm")
    monkeypatch.setenv("BLOCKDSL_DUMP_DIR", str(directory))
    assert launched() == 2.5
    assert {path.suffix[1:] for path in directory.iterdir()} == {"ttir", "asm"}


@pytest.mark.parametrize(("value", "times"), [("0", 1), ("1", 2)])
def test_always_compile_recompiles(value: str, times: int, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", value)
    made_anew: list[str] = []
    monkeypatch.setattr(kernel_module, "_make", spied(kernel_module._make, made_anew))
    assert [launched(), launched()] == [2.5, 2.5]
    assert len(made_anew) == times


def spied(function: Any, calls: list[str]) -> Any:
    def call(*args: Any) -> Any:
        calls.append(function.__name__)
        return function(*args)

    return call


def test_warns_about_unknown_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_DUMP", "ttir,linalgg")
    with pytest.warns(
        RuntimeWarning, match="BLOCKDSL_DUMP='ttir,linalgg' is ignored: expects stages among ttir, .* got li"
    ):
        assert knobs.DUMP.get() == ()


def test_every_stage_has_a_dump_name() -> None:
    assert {*STAGES, *handoff.STAGES} == {*variables.STAGES}


@pytest.mark.parametrize("setting", ["here", "process"])
def test_warns_about_unwritable_dump_directory(setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("BLOCKDSL_COMPILE", setting)
    monkeypatch.setenv("BLOCKDSL_DUMP", "ttir")
    monkeypatch.setenv("BLOCKDSL_DUMP_DIR", str(tmp_path / "file"))
    o = torch.zeros(64)
    with pytest.warns(RuntimeWarning, match=r"no stages are written to .*file \(.*File exists"):
        made()[(1,)](torch.ones(64), o, 64, BLOCK=8)
    assert o[0] == 2.5


def test_warns_about_missing_override_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_OVERRIDE_DIR", str(tmp_path / "nowhere"))
    with pytest.warns(RuntimeWarning, match="nowhere' is ignored: there is no such directory"):
        assert knobs.OVERRIDE_DIR.get() is None
