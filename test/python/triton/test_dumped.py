"""``TRITON_KERNEL_DUMP`` and ``TRITON_KERNEL_OVERRIDE`` with stock Triton: its directories have our stages, too."""

from __future__ import annotations

from pathlib import Path

import pytest
import stock_kernels as stock
import torch

from blockdsl.compiler.stages import STAGES


def added() -> tuple[torch.Tensor, list[str]]:
    """The sum of ones, of a kernel that is compiled anew, and the stages that Triton keeps of it."""
    stock.add.device_caches.clear()
    out = torch.zeros(1, 16)
    compiled = stock.add[(1,)](torch.ones(1, 16), torch.ones(1, 16), out, 16, BLOCK=16)
    return out, list(compiled.asm)


def test_stages_are_dumped_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "ours"))
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dumped"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    out, kept = added()
    assert {*STAGES} <= {*kept}
    assert (out == 2).all()
    # One directory, which is Triton's.
    (directory,) = (tmp_path / "dumped").iterdir()
    assert {path.name for path in directory.iterdir()} == {f"add.{stage}" for stage in (*STAGES, "blockdsl")}
    assert "func.func" in (directory / "add.vector").read_text()

    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    for path in directory.iterdir():
        if path.suffix != ".ttir":
            path.unlink()
    text = (directory / "add.ttir").read_text()
    assert text.count("arith.addf") == 1
    (directory / "add.ttir").write_text(text.replace("arith.addf", "arith.subf"))
    assert (added()[0] == 2).all()
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "dumped"))
    # Both at once dump what is taken, and read none of our stages back.
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    assert (added()[0] == 0).all()
    assert {path.name for path in directory.iterdir()} == {"add.ttir", "add.blockdsl"}
