"""The table of stock Triton code that ``make demo`` ends with."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

import blockdsl
from examples import demo_compiled


def test_the_stock_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_compiled, "ROUNDS", 1)
    with blockdsl.triton.activate():
        line = demo_compiled.stock_kernel()
    assert line[:2] == ["@triton.jit softmax", "1823 x 781"]
    assert float(line[2]) < 1e-6


def test_the_block() -> None:
    model, x = demo_compiled.Block(64, 2).eval(), torch.randn(2, 17, 64)
    with torch.no_grad():
        assert_close(torch.compile(model, backend="blockdsl", fullgraph=True)(x), model(x), rtol=1e-4, atol=1e-5)


def test_wrong_result_reports_no_row() -> None:
    with pytest.raises(SystemExit, match=r"sum is wrong: the largest error is 1\.0e\+00"):
        demo_compiled.row("sum", "1", "torch", lambda: torch.zeros(1), lambda: torch.zeros(1), torch.ones(1).double())
