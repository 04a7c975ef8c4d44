"""``python test/python/cuda/stock_beside_program.py``, on a GPU: stock Triton on both devices, alternating.

No launch on the GPU fails because of blockdsl, however the CPU's driver was activated, and whichever kernels are new.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import torch
import triton
import triton.language as tl
from triton.runtime import driver

import blockdsl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n), mask=at < n)


@triton.autotune([triton.Config({"BLOCK": block}) for block in (256, 1024)], key=["n"])
@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


def check_add(device: str, block: int) -> None:
    x, y = torch.randn(2, 5000, device=device)
    out = torch.empty_like(x)
    add[(triton.cdiv(5000, block),)](x, y, out, 5000, BLOCK=block)
    assert torch.equal(out, x + y), (device, block)


def check_double(device: str) -> None:
    x = torch.randn(5000, device=device)
    out = torch.empty_like(x)
    double[lambda meta: (triton.cdiv(5000, meta["BLOCK"]),)](x, out, 5000)
    assert torch.equal(out, 2 * x), device


def check_graph(function: Any, *args: torch.Tensor) -> None:
    torch._dynamo.reset()
    torch.testing.assert_close(torch.compile(function, backend="blockdsl")(*args), function(*args))


def kmeans(x: torch.Tensor, means: torch.Tensor) -> torch.Tensor:
    return ((x[:, None] - means[None]) ** 2).sum(2).sqrt().argmin(1)


def steps() -> None:
    assert driver.active.get_current_target().backend == "cuda"
    check_add("cuda", 256)
    print("a launch on the GPU: good")
    # Inductor makes the CPU's driver active.
    check_graph(lambda x: x.sin() + 1, torch.randn(5000))
    assert type(driver.active).__name__ == "CPUDriver"
    check_add("cuda", 256)
    check_add("cuda", 512)
    check_double("cuda")
    print("a graph on the CPU, then kernels on the GPU, known and new: good")
    check_graph(lambda x: x.cos().sum(), torch.randn(5000, device="cuda"))
    check_graph(lambda x, y: (x.sin() + 1, y.cos() * 2), torch.randn(5000), torch.randn(5000, device="cuda"))
    check_graph(lambda y, x: (x.sin() + 3, y.cos() * 4), torch.randn(5000, device="cuda"), torch.randn(5000))
    check_graph(kmeans, torch.randn(5000, 2, device="cuda"), torch.randn(4, 2, device="cuda"))
    check_add("cuda", 64)
    print("graphs on the GPU, and on both: good")
    with blockdsl.triton.activate():
        for block in (128, 256, 1024):
            check_add("cpu", block)
            check_add("cuda", block)
        check_double("cpu")
        check_double("cuda")
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            check_add("cuda", 2048)
        x = torch.zeros(16, device="cuda")
        kernel = add[(1,)](x, x, x, 16, BLOCK=16)
        kernel[(1, 1, 1)](x + 1, x + 2, x, 16, 16)
        assert torch.equal(x, torch.full_like(x, 3))
    check_add("cuda", 32)
    assert driver.active.get_current_target().backend == "cuda"
    print("both by their tensors, while the CPU is asked for: good")


def main() -> None:
    if sys.argv[1:] == ["steps"]:
        steps()
        return
    # The second finds kernels in the caches, and loads them before our driver is active.
    for state in ("cold", "warm"):
        done = subprocess.run([sys.executable, __file__, "steps"], capture_output=True, text=True)
        print(f"{state}:\n{done.stdout}{done.stderr[-3000:]}")
        assert done.returncode == 0


if __name__ == "__main__":
    main()
