"""Tests of tracebacks of errors in programs with stock Triton: without frames of the package."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stock_kernels as stock
import torch
import triton
import triton.language as tl
from triton.runtime import driver

import blockdsl
from blockdsl.errors import BlockdslError, KernelAssertionError

PACKAGE = str(Path(blockdsl.__file__).parent)
PLUGIN = str(Path(blockdsl.__file__).parent.parent / "blockdsl_triton")


@triton.jit
def asserts(x_ptr):
    tl.device_assert(tl.load(x_ptr) > 1.0, "too small")


@triton.jit
def takes_assembly(x_ptr):
    y = tl.inline_asm_elementwise("cosh $0, $1;", "=f,f", [tl.load(x_ptr)], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(x_ptr, y)


def x() -> torch.Tensor:
    return torch.zeros(64)


def read_only() -> Any:
    array = np.zeros(64, np.float32)
    array.flags.writeable = False
    return torch.from_numpy(array)


def compiled() -> Any:
    return stock.add.warmup(torch.float32, torch.float32, torch.float32, 4, BLOCK=4, grid=(1,))


CALLS: dict[str, Callable[[], object]] = {
    "a failed assertion": lambda: asserts[(1,)](x(), debug=True),
    "assembly that is not known": lambda: takes_assembly[(1,)](x()),
    "a meta tensor": lambda: stock.add[(1,)](x(), x(), x().to("meta"), 64, BLOCK=64),
    "an array of another type": lambda: compiled()[(1, 1, 1)](x().int(), x(), x(), 4, 4),
    "a number that does not fit": lambda: compiled()[(1, 1, 1)](x(), x(), x(), 1 << 40, 4),
    "a damaged binary": lambda: driver.active.utils.load_binary("add", b"blockdsl-kernel 1\n{}\n", 0, "cpu"),
}


@pytest.mark.parametrize("call", CALLS)
def test_frames(call: str) -> None:
    with pytest.raises(BlockdslError) as caught:
        CALLS[call]()
    text = "".join(traceback.format_exception(caught.value))
    ours = [frame for frame in traceback.extract_tb(caught.value.__traceback__)
            if frame.filename.startswith((PACKAGE, PLUGIN))]  # fmt: skip
    assert len(ours) <= 1, text
    assert text.count("Traceback") == 1, text


def test_a_launch_like_an_earlier_one() -> None:
    """It bypasses Triton's launch."""
    good = torch.full((1,), 2.0)
    for _ in range(3):
        asserts[(1,)](good, debug=True)
    with pytest.raises(KernelAssertionError) as caught:
        asserts[(1,)](x()[:1], debug=True)
    text = "".join(traceback.format_exception(caught.value))
    assert PACKAGE not in text, text
