"""``kernel.asm``: the stages of kernels that were compiled now, or found in Triton's cache."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
import stock_kernels as stock
import torch
import triton

from blockdsl.compiler.stages import STAGES
from blockdsl.triton import assembly


def added(**options: Any) -> Any:
    """Returns the kernel of a sum, perhaps from Triton's cache."""
    stock.add.device_caches.clear()
    return stock.add.warmup(torch.float32, torch.float32, torch.float32, 500, BLOCK=512, grid=(1,), **options)


def check(asm: Any) -> None:
    assert "tt.func" in asm["ttir"]
    assert "linalg.generic" in asm["linalg"]
    assert "cpu.nest" in asm["nests"]
    assert "vector<" in asm["loops"]
    assert "llvm.func" in asm["llvm"]
    assert "define void @add(" in asm["llir"]
    assert "add:" in asm["asm"]


def test_every_stage_of_a_kernel_and_of_one_from_the_cache() -> None:
    compiled = added()
    check(compiled.asm)
    cached = added()
    assert cached is not compiled
    assert cached.hash == compiled.hash
    assert {name: cached.asm[name] for name in STAGES} == {name: compiled.asm[name] for name in STAGES}
    # A launch loads it, and does not change them.
    compiled._init_handles()
    assert {name: compiled.function.asm[name] for name in STAGES[1:]} == {name: cached.asm[name] for name in STAGES[1:]}
    check(compiled.asm)


def test_stages_are_made_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    texts_of = assembly.texts_of

    def counted(program: Any, options: Any, stage: str) -> Any:
        made.append(stage)
        return texts_of(program, options, stage)

    monkeypatch.setattr(assembly, "texts_of", counted)
    asm = added().asm
    assert list(asm) == list(asm.keys()) == ["source", *STAGES, "blockdsl"]
    assert len(asm) == 9
    assert "llir" in asm
    assert made == []
    assert asm.get("llir") is asm["llir"]
    assert made == ["llir"]
    assert "add:" in asm["asm"]
    assert made == ["llir", "asm"]
    assert dict(asm.items()) == dict(zip(asm, asm.values(), strict=True)) == dict(asm)
    assert made == ["llir", "asm"]


def test_unknown_stage_names() -> None:
    asm = added().asm
    for name in ("ptx", "cubin", "sass", "ttgir"):
        assert name not in asm
        assert asm.get(name) is None
        assert asm.get(name, 3) == 3
        with pytest.raises(KeyError, match="Unknown key: "):
            asm[name]
    asm["mine"] = "text"
    assert (asm["mine"], "mine" in asm) == ("text", True)
    assert list(asm) == ["source", "mine", *STAGES, "blockdsl"]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda asm: pickle.loads(pickle.dumps(asm))])
def test_copied_kernel_has_the_cached_stages(copied: Any) -> None:
    asm = added().asm
    assert set(copied(asm)) == {"source", "ttir", "blockdsl"}
    check(asm)
    assert set(copied(asm)) == {"source", *STAGES, "blockdsl"}


def test_stages_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "add.ttir"
    path.write_text(added().asm["ttir"])
    asm = triton.compile(str(path)).asm
    assert list(asm) == [*STAGES, "blockdsl"]
    check(asm)


def test_stages_of_a_kernel_whose_text_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "add.llir"
    path.write_text(added().asm["llir"].replace("fadd", "fmul"))
    asm = added(ir_override=str(path)).asm
    assert "fmul" in asm["llir"]
    assert "mulps" in asm["asm"] or "fmul" in asm["asm"]
