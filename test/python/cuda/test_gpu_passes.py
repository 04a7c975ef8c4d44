"""Tests of the passes before Triton's pipeline, run on the CPU."""

from __future__ import annotations

from pathlib import Path

import gpu_kernels
import pytest
import torch

import blockdsl
import blockdsl.language as tl
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


@blockdsl.jit
def rows_of_permuted(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, A * B * C))
    x = tl.reshape(tl.permute(tl.reshape(x, (A, B, C)), (0, 2, 1)), (A, B * C))
    tl.store(out_ptr + tl.arange(0, B * C), tl.sum(x, 0))
    tl.store(out_ptr + B * C + tl.arange(0, A), tl.sum(x, 1))


@pytest.mark.parametrize("shape", [(8, 2, 8), (1, 4, 4), (16, 2, 1), (2, 32, 2)])
def test_anchors_change_no_sum(shape: tuple[int, int, int], tmp_path: Path) -> None:
    a, b, c = shape
    x, out = torch.randint(-99, 99, shape, dtype=torch.int32), torch.zeros(a + b * c, dtype=torch.int32)
    context = ir.Context()
    signature = {"x_ptr": "*i32", "out_ptr": "*i32"}
    text = blockdsl.compile(rows_of_permuted, signature, {"A": a, "B": b, "C": c}).asm["ttir"]
    module = ir.Module.parse(text, context)
    passmanager.PassManager.parse("builtin.module(blockdsl-to-handoff{version=3.6})", context).run(module.operation)
    assert str(module).count("tt.gather") == 2
    path = tmp_path / "anchored.ttir"
    path.write_text(str(module))
    blockdsl.compile(path)[(1,)](x, out)
    permuted = x.permute(0, 2, 1).reshape(a, b * c)
    assert torch.equal(out, torch.cat([permuted.sum(0), permuted.sum(1)]).int())
