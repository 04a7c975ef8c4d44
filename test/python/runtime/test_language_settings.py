"""Tests of ``knobs.language``: defaults of launches and kernels."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
import triton

import blockdsl
import blockdsl.language as tl
from blockdsl import knobs
from blockdsl.errors import TypeMismatchError


def make() -> Any:
    """Returns a kernel that this process has not compiled."""

    @blockdsl.jit
    def fused(x_ptr, out_ptr, BLOCK: tl.constexpr):
        x = tl.load(x_ptr + tl.arange(0, BLOCK))
        tl.store(out_ptr + tl.arange(0, BLOCK), x * x - 1.0)

    return fused


def is_fused(**options: Any) -> bool:
    """Returns true if the product is not rounded."""
    x, out = torch.rand(2, 256) + 0.5
    make()[(1,)](x, out, BLOCK=256, **options)
    once, twice = (x.double() * x - 1.0).float(), x * x - 1.0
    assert not torch.equal(once, twice)
    assert torch.equal(out, once) or torch.equal(out, twice)
    return torch.equal(out, once)


@pytest.mark.parametrize("forced", [None, "0", "1"])
@pytest.mark.parametrize("default", [None, "0", "1"])
@pytest.mark.parametrize("given", [None, False, True])
def test_default_fusion_matches_triton(
    given: bool | None, default: str | None, forced: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("DEFAULT_FP_FUSION", default), ("FORCE_DISABLE_FP_FUSION", forced)):
        monkeypatch.delenv(f"TRITON_{name}", raising=False)
        if value is not None:
            monkeypatch.setenv(f"TRITON_{name}", value)
    expected = triton.knobs.language.fp_fusion_enabled(given)
    assert knobs.language.fp_fusion_enabled(given) is expected
    assert is_fused(**({} if given is None else {"enable_fp_fusion": given})) is expected
    assert is_fused(enable_fp_fusion=given) is expected
    compiled = blockdsl.compile(make(), {"x_ptr": "*fp32", "out_ptr": "*fp32"}, {"BLOCK": 8}, enable_fp_fusion=given)
    assert compiled.options.fp_fusion is expected


def test_settings_of_a_program() -> None:
    assert is_fused()
    with knobs.language.scope():
        knobs.language.default_fp_fusion = False
        assert not is_fused()
        assert is_fused(enable_fp_fusion=True)
        knobs.language.force_disable_fp_fusion = True
        assert not is_fused(enable_fp_fusion=True)
    assert is_fused()


def precisions(**given: Any) -> list[str]:
    """Returns a matmul's attributes in the text for a GPU, without and with a precision."""

    @blockdsl.jit
    def product(x_ptr, N: tl.constexpr):
        at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
        x = tl.load(x_ptr + at)
        tl.store(x_ptr + at, tl.dot(tl.dot(x, x), x, input_precision="tf32x3"))

    text = product.warmup(torch.float32, N=16, grid=(1,), target="cuda:80").asm["ttir"]
    return re.findall(r"inputPrecision = (\w+)", text)


def test_precision_of_dot_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    assert precisions() == ["tf32", "tf32x3"]
    monkeypatch.setenv("TRITON_F32_DEFAULT", "bf16x3")
    assert precisions() == ["bf16x3", "tf32x3"]
    with knobs.language.scope():
        knobs.language.fp32_default = "ieee"
        # The dialect's default is not printed.
        assert precisions() == ["tf32x3"]
    monkeypatch.setenv("TRITON_F32_DEFAULT", "half")
    with pytest.raises(TypeMismatchError, match="'dot' expects input_precision"):
        precisions()
