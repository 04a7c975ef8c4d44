"""Tests of dot instructions: on CPUs that have one for groups of narrow numbers, and on those without."""

from __future__ import annotations

import io
import re

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime
from blockdsl.backends import cpu
from blockdsl.compiler import target
from blockdsl.compiler.target import Target

_AVX512 = ("+avx2", "+fma", "+f16c", "+avx512f", "+avx512bw", "+avx512dq", "+avx512vl")
LINUX = "x86_64-unknown-linux-gnu"
ARM = "aarch64-unknown-linux-gnu"

TARGETS = {
    "haswell": Target(LINUX, "haswell", ("+avx2", "+fma", "+f16c")),
    "arrowlake": Target(LINUX, "arrowlake", ("+avx2", "+fma", "+f16c", "+avxvnni", "+avxvnniint8")),
    "skylake": Target(LINUX, "skylake-avx512", _AVX512),
    "cascadelake": Target(LINUX, "cascadelake", (*_AVX512, "+avx512vnni")),
    "cooperlake": Target(LINUX, "cooperlake", (*_AVX512, "+avx512vnni", "+avx512bf16")),
    "sapphirerapids": Target(
        LINUX,
        "sapphirerapids",
        (*_AVX512, "+avx512vnni", "+avx512bf16", "+avx512fp16", "+amx-tile", "+amx-bf16", "+amx-int8"),
    ),
    "neoverse-n1": Target(ARM, "neoverse-n1", ("+neon", "+dotprod")),
    "neoverse-v1": Target(ARM, "neoverse-v1", ("+neon", "+dotprod", "+bf16")),
}

# The instructions for bytes and for bf16; None for matmuls in the accumulator's own type.
EXPECTED = {
    "haswell": (None, None),
    "arrowlake": (r"vpdpbssd\s.*%ymm", None),
    "skylake": (None, None),
    "cascadelake": (r"vpdpbusd\s.*%zmm", None),
    "cooperlake": (r"vpdpbusd\s.*%zmm", r"vdpbf16ps\s.*%zmm"),
    "sapphirerapids": (r"tdpbssd\s.*%tmm", r"tdpbf16ps\s.*%tmm"),
    "neoverse-n1": (r"sdot\sv\d+\.4s", None),
    "neoverse-v1": (r"sdot\sv\d+\.4s", r"bfdot\sv\d+\.4s"),
}
PACKED = re.compile(r"vpdp\w+|vdpbf16ps|[su]dot|bfdot|tdp\w+")


@blockdsl.jit
def product(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


@blockdsl.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, SEQ, D: tl.constexpr, BN: tl.constexpr):
    m, d = tl.arange(0, 32), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    acc = tl.zeros((32, D), tl.float32)
    largest = tl.full((32,), float("-inf"), tl.float32)
    for start in range(0, SEQ, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < SEQ)
        v = tl.load(v_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < SEQ)
        s = tl.dot(q, tl.trans(k))
        highest = tl.maximum(largest, tl.max(s, axis=1))
        acc = tl.dot(tl.exp(s - highest[:, None]).to(v.dtype), v, acc * tl.exp(largest - highest)[:, None])
        largest = highest
    tl.store(out_ptr + m[:, None] * D + d[None, :], acc)


def assembly(monkeypatch: pytest.MonkeyPatch, machine: Target, dtype: torch.dtype) -> str:
    a = torch.zeros(128, 128, dtype=dtype)
    c = torch.zeros(128, 128, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
    # Compiled anew, because stages are computed once, at the first access, for the host CPU at that time.
    compiled = blockdsl.jit(product.fn)[(1,)](a, a, c, N=128)
    monkeypatch.setattr(Target, "host", staticmethod(lambda: machine))
    return str(compiled.asm["asm"])


def test_tiles_between_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    a = torch.zeros(64, 32, dtype=torch.bfloat16)
    compiled = attention[(1,)](a, a, a, torch.zeros(32, 32), 64, D=32, BN=32)
    monkeypatch.setattr(Target, "host", staticmethod(lambda: TARGETS["sapphirerapids"]))
    text = compiled.asm["asm"]
    assert len(re.findall("tdpbf16ps", text)) >= 8
    assert "ldtilecfg" in text
    assert "tilerelease" in text


@blockdsl.jit
def summed(a_ptr, b_ptr, c_ptr, iterations, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for iteration in range(iterations):
        acc = tl.dot(tl.load(a_ptr + iteration * N * N + at), tl.load(b_ptr + iteration * N * N + at), acc)
    tl.store(c_ptr + at, acc)


def test_tiles_accumulated_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first iteration sets the sums to zero in tiles, in a branch."""
    a = torch.zeros(64, 64, dtype=torch.bfloat16)
    compiled = summed[(1,)](a, a, torch.zeros(64, 64), 1, N=64)
    monkeypatch.setattr(Target, "host", staticmethod(lambda: TARGETS["sapphirerapids"]))
    text = compiled.asm["asm"]
    assert "tilezero" in text
    assert len(re.findall("tdpbf16ps", text)) >= 4


@blockdsl.jit
def two_products(a_ptr, b_ptr, c_ptr, d_ptr, N: tl.constexpr, K: tl.constexpr):
    m, k = tl.arange(0, N), tl.arange(0, K)
    left, right = m[:, None] * K + k[None, :], k[:, None] * N + m[None, :]
    at = m[:, None] * N + m[None, :]
    whole = tl.load(a_ptr + at)
    tl.store(c_ptr + at, tl.dot(whole, whole))
    tl.store(d_ptr + at, tl.dot(tl.load(b_ptr + left), tl.load(b_ptr + right), tl.load(d_ptr + at)))


@pytest.mark.parametrize("half", [torch.int8, torch.bfloat16])
def test_half_tiles_after_full_tiles(monkeypatch: pytest.MonkeyPatch, half: torch.dtype) -> None:
    """The first matmul uses all eight registers."""
    whole, depth = (torch.bfloat16, 32) if half == torch.int8 else (torch.int8, 16)
    a, b = torch.zeros(64, 64, dtype=whole), torch.zeros(64, depth, dtype=half)
    c, d = (torch.zeros(64, 64, dtype=torch.int32 if of == torch.int8 else torch.float32) for of in (whole, half))
    compiled = two_products[(1,)](a, b, c, d, N=64, K=depth)
    monkeypatch.setattr(Target, "host", staticmethod(lambda: TARGETS["sapphirerapids"]))
    text = compiled.asm["asm"]
    assert "tdpbf16ps" in text
    assert "tdpbssd" in text


def test_tiles_are_not_used_without_permission_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    here = TARGETS["sapphirerapids"]
    monkeypatch.delenv("BLOCKDSL_CPU", raising=False)
    monkeypatch.setattr(cpu, "host", lambda: here)
    monkeypatch.setattr(target, "open", lambda *_, **__: io.BytesIO(b"flags: amx_tile"), raising=False)
    for allowed in (True, False):
        monkeypatch.setattr(_runtime, "request_tile_registers", lambda allowed=allowed: allowed)
        host = Target.host.__wrapped__()
        assert ("+amx-tile" in host.features, "+amx-bf16" in host.features) == (allowed, allowed)
        assert ("amx" in host.pass_features) == allowed
        assert ("no tile registers" in target.host_identity.__wrapped__()) != allowed


@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16])
@pytest.mark.parametrize("name", TARGETS)
def test_instruction(monkeypatch: pytest.MonkeyPatch, name: str, dtype: torch.dtype) -> None:
    text = assembly(monkeypatch, TARGETS[name], dtype)
    expected = EXPECTED[name][0 if dtype == torch.int8 else 1]
    if expected is None:
        assert not PACKED.search(text)
    else:
        assert len(re.findall(expected, text)) >= 8


@pytest.mark.parametrize("name", ["cooperlake", "sapphirerapids", "neoverse-v1"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_other_types_are_not_grouped(monkeypatch: pytest.MonkeyPatch, name: str, dtype: torch.dtype) -> None:
    assert not PACKED.search(assembly(monkeypatch, TARGETS[name], dtype))
