"""What the passes before the hand-off do to values, seen on the CPU."""

from __future__ import annotations

from pathlib import Path

import gpu_kernels
import pytest
import torch

import blockdsl
from blockdsl.mlir import ir, passmanager

TYPES = {torch.float16: "*fp16", torch.bfloat16: "*bf16", torch.int8: "*i8"}


@pytest.mark.parametrize("version", ["3.9", "3.6"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [1, 4, 8])
def test_padding_changes_no_product(size: int, dtype: torch.dtype, version: str, tmp_path: Path) -> None:
    kind = torch.int32 if dtype == torch.int8 else torch.float32
    a, b = (torch.randint(-9, 9, (size, size)).to(dtype) for _ in range(2))
    out = torch.zeros(size, size, dtype=kind)
    signature = {"a_ptr": TYPES[dtype], "b_ptr": TYPES[dtype], "c_ptr": "*i32" if dtype == torch.int8 else "*fp32"}
    context = ir.Context()
    module = ir.Module.parse(blockdsl.compile(gpu_kernels.product, signature, {"SIZE": size}).asm["ttir"], context)
    passes = f"builtin.module(tt-pad-products{{version={version}}})"
    passmanager.PassManager.parse(passes, context).run(module.operation)
    assert "tt.join" in str(module)
    path = tmp_path / "padded.ttir"
    path.write_text(str(module))
    blockdsl.compile(path)[(1,)](a, b, out)
    assert torch.equal(out, (a.to(kind) @ b.to(kind)))
