"""Tests of stock Triton's ``device_print`` on the CPU: the output is that of a GPU."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def prints(x_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("a", tl.load(x_ptr + i), n)
    tl.device_print("hex: ", i[:, None] + tl.arange(0, 2)[None, :], hex=True)
    print("pid", tl.program_id(1))
    print("only text")


def test_lines(capfd: pytest.CaptureFixture[str]) -> None:
    prints[(1, 2)](torch.tensor([1.5, -2.0, 3.25, 0.0]), 42, N=4)
    lines = capfd.readouterr().out.splitlines()
    second = "pid (0, 1, 0)"
    printed = [line for line in lines if line.startswith(second)]
    # The elements of a matrix are printed in any order.
    printed[5:13] = sorted(printed[5:13])
    assert printed == [
        f"{second} idx (0) a: (operand 0) 1.500000",
        f"{second} idx (1) a: (operand 0) -2.000000",
        f"{second} idx (2) a: (operand 0) 3.250000",
        f"{second} idx (3) a: (operand 0) 0.000000",
        f"{second} idx () a: (operand 1) 42",
        *[f"{second} idx ({i}, {j}) hex: 0x{i + j:08x}" for i in range(4) for j in range(2)],
        f"{second} idx () pid: 1",
        f"{second} only text",
    ]
    assert len(lines) == 2 * (4 + 1 + 8 + 2)
