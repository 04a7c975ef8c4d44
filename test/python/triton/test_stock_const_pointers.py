"""One tensor for plain and `tl.const` pointers of a stock kernel: every way of sharing it, launched twice."""

from __future__ import annotations

import itertools

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def add_up(a: tl.const, b, c: tl.const, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    mask = at < n
    first = tl.load(a + at, mask=mask) + tl.load(b + at, mask=mask)
    tl.store(out + at, first, mask=mask)
    # A load returns the stored value wherever both parameters are one tensor.
    tl.store(out + at, tl.load(out + at, mask=mask) + tl.load(c + at, mask=mask), mask=mask)


def expected(tensors: list[torch.Tensor]) -> torch.Tensor:
    a, b, c, out = tensors
    out.copy_(a + b)
    return out.add_(c)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8])
def test_all_kinds_of_aliasing(dtype: torch.dtype) -> None:
    add_up.device_caches.clear()
    vars(add_up)["_shortcut"] = None
    for indices in itertools.product(range(2), range(2), range(2), range(2)):
        for _ in range(2):
            memory = torch.randint(-9, 9, (2, 100)).to(dtype)
            reference, actual = memory.clone(), memory.clone()
            expected([reference[index] for index in indices])
            add_up[(2,)](*[actual[index] for index in indices], 100, B=64)
            assert torch.equal(actual, reference), indices


def test_a_part_of_one_tensor() -> None:
    for _ in range(2):
        memory = torch.randn(200)
        reference, actual = memory.clone(), memory.clone()
        expected([reference[first : first + 64] for first in (0, 64, 128, 64)])
        add_up[(1,)](actual, actual[64:], actual[128:], actual[64:], 64, B=64)
        assert torch.equal(actual, reference)
