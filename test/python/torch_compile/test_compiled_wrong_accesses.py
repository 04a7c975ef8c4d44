"""Kernels in compiled graphs that leave the memory of an argument are refused; Inductor's own are checked."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from blockdsl import _runtime
from blockdsl.errors import LaunchError
from blockdsl.triton.kernel_launcher import KernelLauncher


def scaled(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x * 2 + y)


def test_inductors_kernels_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[KernelLauncher] = []
    init = KernelLauncher.__init__

    def kept(self: KernelLauncher, kernel: Any) -> None:
        made.append(self)
        init(self, kernel)

    monkeypatch.setattr(KernelLauncher, "__init__", kept)
    x, y = torch.randn(1000), torch.randn(1000)
    before = sum(_runtime.count_checked_launches())
    compiled = torch.compile(scaled, backend="blockdsl")
    for _ in range(3):
        torch.testing.assert_close(compiled(x, y), scaled(x, y))
    assert sum(_runtime.count_checked_launches()) >= before + 3
    # Launches the graph's kernel as the graph does, with an output that is too small.
    launcher = made[-1]
    assert launcher.kernel.metadata["accesses"]
    with pytest.raises(LaunchError, match=r"stores to element 999 of argument 'out_ptr0', which has 900 elements"):
        launcher[(1000,)](x, y, torch.empty(900), 1000)
