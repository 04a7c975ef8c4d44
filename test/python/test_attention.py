"""Attention forward and backward, and of one query a head, against torch in f64: types, masks, lengths of all kinds.

With ``--device cuda`` the kernels run on the GPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from examples import attention, decoding

ERRORS = {torch.float32: 5e-6, torch.bfloat16: 2e-2, torch.float16: 4e-3}
"""Tolerances relative to the largest element of a result, or to 1.

Probabilities and gradients are rounded to the type, too.
"""

Tensors = tuple[torch.Tensor, ...]


def check(found: Tensors, expected: Tensors) -> None:
    for ours, exact in zip(found, expected, strict=True):
        # On a GPU f32 is multiplied as tf32, whose operands have 11 bits.
        limit = ERRORS[torch.float16 if ours.is_cuda and ours.dtype == torch.float32 else ours.dtype]
        largest = max(1.0, float(exact.nan_to_num().abs().max()))
        torch.testing.assert_close(ours.double(), exact, rtol=0, atol=limit * largest, equal_nan=True)


def both(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, dout: torch.Tensor, **named: bool
) -> tuple[Tensors, Tensors]:
    """Returns the result and the gradients: of our kernels, and of torch in f64."""
    heads, length, _ = q.shape
    out, lse = torch.empty_like(q), q.new_empty(heads, length, dtype=torch.float32)
    gradients = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    attention.forward(q, k, v, out, lse, **named)
    attention.backward(q, k, v, out, lse, dout, gradients, **named)
    wide = [x.double().requires_grad_() for x in (q, k, v)]
    exact = scaled_dot_product_attention(*wide, is_causal=named["causal"])
    return (out, *gradients), (exact.detach(), *torch.autograd.grad(exact, wide, dout.double()))


@pytest.mark.parametrize("descriptors", [False, True], ids=["pointers", "descriptors"])
@pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])
@pytest.mark.parametrize("dtype", ERRORS, ids=str)
@pytest.mark.parametrize(("length", "width"), [(256, 64), (200, 64), (129, 32), (1, 16), (77, 128)])
def test_forward_and_backward(
    length: int, width: int, dtype: torch.dtype, causal: bool, descriptors: bool, device: str
) -> None:
    torch.manual_seed(0)
    tensors = torch.randn(4, 3, length, width).to(device, dtype).unbind()
    check(*both(*tensors, causal=causal, descriptors=descriptors))


@pytest.mark.parametrize("blocks", [(16, 16), (32, 64), (128, 32)], ids=str)
def test_blocks(blocks: tuple[int, int], device: str) -> None:
    torch.manual_seed(0)
    q, k, v, dout = torch.randn(4, 2, 150, 32, device=device).unbind()
    out, lse = torch.empty_like(q), q.new_empty(q.shape[:2])
    gradients = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    attention.forward(q, k, v, out, lse, causal=True, blocks=blocks)
    attention.backward(q, k, v, out, lse, dout, gradients, causal=True, blocks=(min(blocks), max(blocks)))
    _, expected = both(q, k, v, dout, causal=True)
    check((out, *gradients), expected)


def test_large_scores_and_nan_do_not_affect_other_rows(device: str) -> None:
    torch.manual_seed(0)
    q, k, v, dout = torch.randn(4, 1, 100, 16, device=device).unbind()
    q[0, 3] *= 30
    check(*both(q, k, v, dout, causal=True))
    q[0, 60] = float("nan")
    found, expected = both(q, k, v, dout, causal=True)
    # The gradients of all keys before it are NaN.
    check(found[:1], expected[:1])


def test_gradients_through_autograd(device: str) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 100, 32, device=device).unbind()
    leaves = [x.transpose(0, 1).contiguous().transpose(0, 1).requires_grad_() for x in (q, k, v)]
    found = torch.autograd.grad(attention.attention(*leaves, causal=True).square().sum(), leaves)
    wide = [x.detach().double().requires_grad_() for x in leaves]
    expected = torch.autograd.grad(scaled_dot_product_attention(*wide, is_causal=True).square().sum(), wide)
    check(found, expected)


LENGTHS = {"one": (1, 3), "ragged": (37, 300), "full": (512, 512), "long": (1000, 1), "sixteen thousand": (16384, 5000)}


@pytest.mark.parametrize("dtype", ERRORS, ids=str)
@pytest.mark.parametrize(("heads", "groups"), [(4, 4), (8, 2), (6, 2), (32, 1)])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_decoding(lengths: tuple[int, int], heads: int, groups: int, dtype: torch.dtype, device: str) -> None:
    torch.manual_seed(0)
    width, longest = 64, max(lengths)
    make: Callable[..., torch.Tensor] = functools.partial(torch.randn, device=device)
    q = make(2, heads, width).to(dtype)
    k, v = make(2, 2, longest, groups, width).to(dtype).unbind()
    found = decoding.decode(q, k, v, torch.tensor(lengths, device=device), parts=5)
    for at, length in enumerate(lengths):
        wide = [x[at : at + 1, :length].double().transpose(1, 2) for x in (k, v)]
        exact = scaled_dot_product_attention(q[at, None, :, None].double(), *wide, enable_gqa=True)
        check((found[at],), (exact[0, :, 0],))
