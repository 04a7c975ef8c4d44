"""Tests of flex_attention in graphs for the CPU: as Triton code, forward and backward, against the formula in f64."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.utils import run_and_get_code
from torch.nn.attention.flex_attention import AuxRequest, create_block_mask, flex_attention
from torch.testing import assert_close

from blockdsl.torch_compile import attention

pytestmark = pytest.mark.since_torch_2_13

ERRORS = {torch.float32: 2e-5, torch.bfloat16: 2e-2, torch.float16: 4e-3}
BIAS = torch.linspace(-1, 1, 1024).sin()
DOCUMENT = torch.arange(512) // 70

SCORES: dict[str, Callable[..., Any] | None] = {
    "plain": None,
    "alibi": lambda score, b, h, i, j: score + (j - i) * torch.exp2(-(h + 1.0)),
    "soft cap": lambda score, b, h, i, j: 5 * torch.tanh(score / 5),
    "relative": lambda score, b, h, i, j: score + BIAS[i - j + 512],
}
MASKS: dict[str, Callable[..., Any] | None] = {
    "all": None,
    "causal": lambda b, h, i, j: i >= j,
    "window": lambda b, h, i, j: (i >= j) & (i - j < 50),
    "document": lambda b, h, i, j: DOCUMENT[i] == DOCUMENT[j],
    "prefix": lambda b, h, i, j: (i >= j) | (j < 30),
}
SHAPES = {
    "whole blocks": (2, 4, 4, 256, 256, 64),
    "ragged": (1, 2, 2, 200, 200, 32),
    "few queries": (2, 4, 2, 3, 300, 64),
    "grouped": (1, 8, 2, 130, 140, 48),
}
"""Batch, heads of queries, heads of keys, queries, keys, width."""


def formula(q: Any, k: Any, v: Any, score: Any, mask: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the result, and the logarithm of the sums."""
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = q @ k.mT * q.shape[-1] ** -0.5
    at = torch.meshgrid(*map(torch.arange, scores.shape), indexing="ij")
    if score:
        scores = score(scores, *at)
    if mask:
        scores = scores.masked_fill(~mask(*at), -torch.inf)
    return scores.softmax(-1) @ v, scores.logsumexp(-1)


def tensors(shape: tuple[int, ...], dtype: torch.dtype) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Returns queries, keys and values that require gradients, and the same in f64."""
    batch, heads, groups, queries, keys, width = shape
    given = [torch.randn(batch, heads, queries, width), *torch.randn(2, batch, groups, keys, width)]
    ours = [x.to(dtype).requires_grad_() for x in given]
    return ours, [x.detach().double().requires_grad_() for x in ours]


def compiled(
    q: torch.Tensor, k: torch.Tensor, score: Any, mask: Any, size: int = 128, **named: Any
) -> Callable[..., Any]:
    lengths = q.shape[2], k.shape[2]
    blocks = create_block_mask(mask, None, None, *lengths, device="cpu", BLOCK_SIZE=size) if mask else None
    function: Any = functools.partial(
        flex_attention, score_mod=score, block_mask=blocks, enable_gqa=q.shape[1] != k.shape[1], **named
    )
    return torch.compile(lambda q, k, v: function(q, k, v), backend="blockdsl", fullgraph=True)


def check(found: Any, expected: Any, dtype: torch.dtype) -> None:
    for ours, exact in zip(found, expected, strict=True):
        limit = ERRORS[dtype] * max(1.0, float(exact.detach().abs().max()))
        assert_close(ours.double(), exact, rtol=0, atol=limit, msg=lambda text: f"{dtype}: {text}")


CASES = [
    *((shape, score, mask) for shape in SHAPES for score, mask in (("plain", "all"), ("alibi", "causal"))),
    *(("ragged", score, "causal") for score in SCORES if score != "alibi"),
    *(("ragged", "plain", mask) for mask in MASKS if mask not in ("all", "causal")),
    ("few queries", "relative", "prefix"),
]


@pytest.mark.parametrize(("name", "score", "mask"), CASES)
def test_forward_and_backward(name: str, score: str, mask: str) -> None:
    shape, narrow = SHAPES[name], score == "alibi" and name in ("ragged", "few queries")
    for dtype in ERRORS if narrow else [torch.float32]:
        torch._dynamo.reset()
        ours, wide = tensors(shape, dtype)
        call = compiled(ours[0], ours[1], SCORES[score], MASKS[mask])
        result, codes = run_and_get_code(call, *ours)
        assert "@triton.jit" in codes[0]
        assert "cpp_pybinding(" not in codes[0]
        exact, _ = formula(*wide, SCORES[score], MASKS[mask])
        check([result], [exact], dtype)
        dout = torch.randn_like(result)
        found = torch.autograd.grad(result, ours, dout)
        check(found, torch.autograd.grad(exact, wide, dout.double()), dtype)


def test_sums_and_maxima() -> None:
    ours, wide = tensors(SHAPES["ragged"], torch.float32)
    call = compiled(ours[0], ours[1], None, MASKS["causal"], return_aux=AuxRequest(lse=True, max_scores=True))
    with torch.no_grad():
        result, rest = call(*ours)
    exact, lse = formula(*wide, None, MASKS["causal"])
    check([result, rest.lse], [exact, lse], torch.float32)
    q, k, _ = wide
    scores = (q @ k.mT * 32**-0.5).masked_fill(~torch.ones(200, 200, dtype=torch.bool).tril(), -torch.inf)
    check([rest.max_scores], [scores.amax(-1)], torch.float32)


def test_rows_without_keys_are_zero() -> None:
    (q, k, v), _ = tensors(SHAPES["whole blocks"], torch.float32)
    mask = lambda b, h, i, j: (i >= j) & (i >= 100)  # noqa: E731
    result = compiled(q, k, None, mask)(q, k, v)
    assert not result[:, :, :100].any()
    found = torch.autograd.grad(result.sum(), (q, k, v))
    assert not any(x.isnan().any() for x in found)
    assert not found[0][:, :, :100].any()


@pytest.mark.parametrize("size", [64, 192])
def test_blocks_of_a_mask(size: int) -> None:
    ours, wide = tensors(SHAPES["ragged"], torch.float32)
    result = compiled(ours[0], ours[1], None, MASKS["window"], size)(*ours)
    exact, _ = formula(*wide, None, MASKS["window"])
    check([result], [exact], torch.float32)
    dout = torch.randn_like(result)
    check(torch.autograd.grad(result, ours, dout), torch.autograd.grad(exact, wide, dout.double()), torch.float32)


def test_gradient_of_a_bias() -> None:
    ours, wide = tensors(SHAPES["ragged"], torch.float32)
    bias = torch.randn(2, 400, requires_grad=True)

    def attended(q: Any, k: Any, v: Any, bias: Any) -> Any:
        return flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + bias[h, i - j + 200])

    result = torch.compile(attended, backend="blockdsl", fullgraph=True)(*ours, bias)
    wide_bias = bias.detach().double().requires_grad_()
    exact, _ = formula(*wide, lambda score, b, h, i, j: score + wide_bias[h, i - j + 200], None)
    check([result], [exact], torch.float32)
    found = torch.autograd.grad(result.square().sum(), (*ours, bias))
    check(found, torch.autograd.grad(exact.square().sum(), (*wide, wide_bias)), torch.float32)


def test_other_backends_stay_as_they_are() -> None:
    (q, k, v), wide = tensors((1, 2, 2, 128, 128, 16), torch.float32)
    attention.install()
    with pytest.raises(NotImplementedError, match="does not support backward on CPU"):
        flex_attention(q, k, v)
    others = torch.compile(flex_attention, backend="inductor")
    with pytest.raises(Exception, match="does not support backward on CPU"):
        others(q, k, v)
    with torch._inductor.config.patch("cpp_cache_precompile_headers", False):
        result, codes = run_and_get_code(others, q.detach(), k.detach(), v.detach())
    assert "cpp_pybinding(" in codes[0]
    check([result], [formula(*wide, None, None)[0]], torch.float32)


def test_sizes_that_change() -> None:
    torch._dynamo.reset()
    call = torch.compile(flex_attention, backend="blockdsl", dynamic=True)
    for length in (200, 300, 128):
        ours, wide = tensors((1, 2, 2, length, length, 32), torch.float32)
        result = call(*ours)
        exact, _ = formula(*wide, None, None)
        check([result], [exact], torch.float32)
        dout = torch.randn_like(result)
        check(torch.autograd.grad(result, ours, dout), torch.autograd.grad(exact, wide, dout.double()), torch.float32)
