"""Messages of the logger ``blockdsl.compiler`` about stock kernels."""

from __future__ import annotations

import logging
import re

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, out_ptr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    at = i[:, None] * SIZE + i[None, :]
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


def test_compilations_are_logged_with_remarks(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "blockdsl.compiler"):
        product.warmup(torch.float32, torch.float32, torch.float32, SIZE=32, grid=(1,))
    first, *details = [record.message for record in caplog.records]
    assert re.fullmatch(r"(compiled|took) product for cpu:\w+ (from the disk cache )?in [\d.]+ ms", first)
    remark = rf"product: {re.escape(__file__)}:18:\d+: passed: tile of \d+ x \d+ by multiply-adds of f32"
    assert any(re.match(remark, each) for each in details), details
