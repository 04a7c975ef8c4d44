"""Tests of values of packed dots of bf16 and of AMX, run here with those instructions emulated."""

from __future__ import annotations

import pytest
import torch
from spelled_out import spell_out

import blockdsl
import blockdsl.language as tl
from blockdsl.backends import cpu
from blockdsl.compiler.target import Target

PACKED = ("+avx512f", "+avx512vl", "+avx512bf16")
TILES = (*PACKED, "+amx-tile", "+amx-bf16", "+amx-int8")


@blockdsl.jit
def product(
    a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DEPTH: tl.constexpr,
    A_ALONG_M: tl.constexpr, B_ALONG_K: tl.constexpr, SCALED: tl.constexpr,
):  # fmt: skip
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    acc = tl.zeros((M, N), c_ptr.dtype.element_ty)
    for start in range(0, DEPTH, K):
        k = start + tl.arange(0, K)
        a = tl.load(a_ptr + (k[None, :] * M + m if A_ALONG_M else m * DEPTH + k[None, :]), mask=k[None, :] < DEPTH)
        b = tl.load(b_ptr + (n * DEPTH + k[:, None] if B_ALONG_K else k[:, None] * N + n), mask=k[:, None] < DEPTH)
        acc = tl.dot(a, b, acc + acc if SCALED else acc)
    tl.store(c_ptr + m * N + n, acc)


def expected(a: torch.Tensor, b: torch.Tensor, k: int, scaled: bool) -> torch.Tensor:
    total = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    for start in range(0, a.shape[1], k):
        total = total * (2 if scaled else 1) + a[:, start : start + k].double() @ b[start : start + k].double()
    return total


def pretend(monkeypatch: pytest.MonkeyPatch, features: tuple[str, ...]) -> set[str]:
    """Compiles for a CPU with these features, and returns a set that receives the emulated instructions."""
    here, compile_here = cpu.host(), cpu.emit_object
    used: set[str] = set()

    def emit_object(llvm_ir: str, target: cpu.CPU) -> bytes:
        rewritten, found = spell_out(llvm_ir)
        used.update(found)
        return compile_here(rewritten, here)

    monkeypatch.setattr(cpu, "emit_object", emit_object)
    monkeypatch.setattr(Target, "host", staticmethod(lambda: Target(here.triple, here.cpu, features)))
    return used


@pytest.mark.parametrize("lies", ["rows", "left", "right"])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("shape", [(16, 16, 32), (64, 32, 64), (16, 64, 128)])
@pytest.mark.parametrize(("features", "dtype", "instruction"), [
    (PACKED, torch.bfloat16, "llvm.x86.avx512bf16.dpbf16ps.512"),
    (TILES, torch.bfloat16, "llvm.x86.tdpbf16ps.internal"),
    (TILES, torch.int8, "llvm.x86.tdpbssd.internal")])  # fmt: skip
def test_products_of_other_cpus(
    monkeypatch: pytest.MonkeyPatch,
    features: tuple[str, ...],
    dtype: torch.dtype,
    instruction: str,
    shape: tuple[int, int, int],
    scaled: bool,
    lies: str,
) -> None:
    used = pretend(monkeypatch, features)
    (m, n, k), depth = shape, 2 * shape[2] - 3
    a, b = (torch.randint(-128, 128, size).to(dtype) for size in ((m, depth), (depth, n)))
    c = torch.zeros(m, n, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
    blockdsl.jit(product.fn)[(1,)](
        a.T.contiguous() if lies == "left" else a, b.T.contiguous() if lies == "right" else b, c,
        M=m, N=n, K=k, DEPTH=depth, A_ALONG_M=lies == "left", B_ALONG_K=lies == "right", SCALED=scaled,
    )  # fmt: skip
    assert instruction in used
    # Integers of this size are exact in f32, and so are their sums.
    assert torch.equal(c.double(), expected(a, b, k, scaled))


@blockdsl.jit
def chained(a_ptr, b_ptr, c_ptr, out_ptr, BATCH: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch, n, k = tl.arange(0, BATCH)[:, None, None], tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + (batch * N + n[None, :, None]) * K + k[None, None, :])
    b = tl.load(b_ptr + (batch * K + k[None, :, None]) * K + k[None, None, :])
    c = tl.load(c_ptr + (batch * K + k[None, :, None]) * N + n[None, None, :])
    acc = tl.zeros((BATCH, N, N), out_ptr.dtype.element_ty)
    middle = tl.dot(a, b).to(a_ptr.dtype.element_ty)
    # A carried block has a buffer without padding.
    for _ in range(2):
        acc = tl.dot(middle, c, acc)
        middle += middle
    tl.store(out_ptr + (batch * N + n[None, :, None]) * N + n[None, None, :], acc)


@pytest.mark.parametrize(("dtype", "k"), [(torch.bfloat16, 16), (torch.bfloat16, 32), (torch.int8, 32)])
def test_half_tiles_of_a_batch_and_of_a_buffer(monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype, k: int) -> None:
    used = pretend(monkeypatch, TILES)
    batch, n = 2, 32
    a, b, c = (torch.randint(-1, 2, (batch, *size)).to(dtype) for size in ((n, k), (k, k), (k, n)))
    if dtype == torch.bfloat16:
        # Data beside a row, or left in memory, must not affect its sums, not even multiplied by zero.
        a[:, 5] = float("inf")
    out = torch.zeros(batch, n, n, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
    blockdsl.jit(chained.fn)[(1,)](a, b, c, out, BATCH=batch, N=n, K=k)
    assert len(used) == 4
    total = 3 * (a.double() @ b.double() @ c.double())
    torch.testing.assert_close(out.double(), total, rtol=0, atol=0, equal_nan=True)
