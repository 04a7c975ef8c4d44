"""Tests of stock kernels with accesses outside of an argument: refused at first launches and at later ones."""

from __future__ import annotations

from typing import Any

import pytest
import stock_kernels as stock
import torch

from blockdsl import _runtime
from blockdsl.errors import LaunchError


def refused(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(LaunchError) as caught:
        kernel[grid](*args, **kwargs)
    return str(caught.value)


def test_a_stock_kernel_is_refused_at_its_own_line() -> None:
    x, out = torch.ones(64), torch.zeros(10)
    first = refused(stock.add, (1,), x, x, out, 64, BLOCK=64)
    assert first.startswith("kernel 'add' stores to element 63 of argument 'out_ptr', which has 10 elements\n")
    assert "stock_kernels.py:" in first
    assert ", in add\n      tl.store(out_ptr + offsets, tl.load(" in first
    assert "with n=64" in first
    # Again, with a known kernel.
    stock.add[(1,)](x, x, torch.empty(64), 64, BLOCK=64)
    stock.add[(1,)](x, x, torch.empty(64), 64, BLOCK=64)
    assert refused(stock.add, (1,), x, x, out, 64, BLOCK=64) == first
    assert not out.any()
    assert "loads element 63 of argument 'y_ptr'" in refused(stock.add, (1,), x, out, x, 64, BLOCK=64)
    stock.add[(1,)](x, x, out, 10, BLOCK=64)
    assert out.sum() == 20


def test_tiles_with_remainders_in_an_autotuned_kernel() -> None:
    a, b = torch.rand(100, 70), torch.rand(70, 90)

    def launch(c: torch.Tensor, rows: int, inner: int) -> None:
        def grid(meta: Any) -> tuple[int, int]:
            return -(-rows // meta["M"]), -(-90 // meta["N"])

        stock.matmul[grid](a, b, c, rows, 90, inner, *a.stride(), *b.stride(), *c.stride(), ACTIVATION="relu")

    c = torch.empty(100, 90)
    before = _runtime.count_checked_launches()
    launch(c, 100, 70)
    torch.testing.assert_close(c, a @ b)
    assert _runtime.count_checked_launches() != before
    with pytest.raises(LaunchError, match=r"kernel 'matmul' loads element \d+ of argument '[ab]_ptr'"):
        launch(c, 100, 700)
    with pytest.raises(LaunchError, match=r"kernel 'matmul' stores to element 8999 of argument 'c_ptr'"):
        launch(torch.empty(99, 90), 100, 70)
    # The rows are taken modulo 101, and the last one exceeds the argument by one element.
    with pytest.raises(LaunchError, match=r"kernel 'matmul' loads element 7069 of argument 'a_ptr'"):
        launch(torch.empty(101, 90), 101, 70)
