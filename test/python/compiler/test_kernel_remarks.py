"""Remarks of the compiler that a compiled kernel keeps."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import torch

from blockdsl.compiler import cpu_kernel

SOURCE = """\
import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def normalized(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    e = tl.exp(tl.load(x + i))
    tl.store(y + i, e / tl.sum(e, axis=0))
"""


def compiled(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.normalized[(1,)](torch.ones(64), torch.zeros(64), BLOCK=64)


def test_remark_names_materialized_block(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(SOURCE)
    remarks = compiled(path, "first").remarks
    assert [(each.kind, each.name, each.category) for each in remarks] == [("passed", "Materialized", "storage")]
    assert "2 consumers use it" in remarks[0].text
    assert str(remarks[0]).startswith(f"{path}:8:")
    assert ": passed: block of 256 bytes is kept in memory: " in str(remarks[0])


def test_remarks_from_disk_cache_have_current_line(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(SOURCE)
    (first,) = compiled(path, "first").remarks
    path.write_text(SOURCE.replace("@blockdsl.jit", "# One.\n# Two.\n@blockdsl.jit"))
    # Nothing is compiled again.
    monkeypatch.setattr(cpu_kernel, "_make", None)
    (second,) = compiled(path, "second").remarks
    assert second.location.line == first.location.line + 2
    assert second.text == first.text
