"""Which instruction a product becomes: on CPUs that have one for groups of narrow numbers, and on those without."""

from __future__ import annotations

import re

import pytest
import torch

import blockdsl
import blockdsl.language as tl
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
    "neoverse-n1": Target(ARM, "neoverse-n1", ("+neon", "+dotprod")),
    "neoverse-v1": Target(ARM, "neoverse-v1", ("+neon", "+dotprod", "+bf16")),
}

# The instruction for bytes and for bf16; None for products of the accumulator's own type.
EXPECTED = {
    "haswell": (None, None),
    "arrowlake": (r"vpdpbssd\s.*%ymm", None),
    "skylake": (None, None),
    "cascadelake": (r"vpdpbusd\s.*%zmm", None),
    "cooperlake": (r"vpdpbusd\s.*%zmm", r"vdpbf16ps\s.*%zmm"),
    "neoverse-n1": (r"sdot\sv\d+\.4s", None),
    "neoverse-v1": (r"sdot\sv\d+\.4s", r"bfdot\sv\d+\.4s"),
}
PACKED = re.compile(r"vpdp\w+|vdpbf16ps|[su]dot|bfdot|tdp\w+")


@blockdsl.jit
def product(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


def assembly(monkeypatch: pytest.MonkeyPatch, target: Target, dtype: torch.dtype) -> str:
    a = torch.zeros(64, 64, dtype=dtype)
    c = torch.zeros(64, 64, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
    # Compiled anew: its stages are made once, when they are asked for, for the machine that is the host by then.
    compiled = blockdsl.jit(product.fn)[(1,)](a, a, c, N=64)
    monkeypatch.setattr(Target, "host", staticmethod(lambda: target))
    return str(compiled.asm["asm"])


@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16])
@pytest.mark.parametrize("name", TARGETS)
def test_instruction(monkeypatch: pytest.MonkeyPatch, name: str, dtype: torch.dtype) -> None:
    text = assembly(monkeypatch, TARGETS[name], dtype)
    expected = EXPECTED[name][0 if dtype == torch.int8 else 1]
    if expected is None:
        assert not PACKED.search(text)
    else:
        assert len(re.findall(expected, text)) >= 8


@pytest.mark.parametrize("name", ["cooperlake", "neoverse-v1"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_other_types_are_not_grouped(monkeypatch: pytest.MonkeyPatch, name: str, dtype: torch.dtype) -> None:
    assert not PACKED.search(assembly(monkeypatch, TARGETS[name], dtype))
