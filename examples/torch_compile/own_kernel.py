"""Kernels of ``@blockdsl.jit`` in a compiled graph: autotuned, in place on a view, and with a gradient."""

from typing import Any

import torch

import blockdsl
import blockdsl.language as tl


@blockdsl.autotune([blockdsl.Config({"BLOCK": size}) for size in (1024, 4096)], key=["n"])
@blockdsl.jit
def squared_relu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + at, mask=at < n), 0)
    tl.store(out_ptr + at, x * x, mask=at < n)


@blockdsl.jit
def squared_relu_backward(x_ptr, gradient_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + at, mask=at < n), 0)
    tl.store(gradient_ptr + at, 2 * x * tl.load(gradient_ptr + at, mask=at < n), mask=at < n)


class SquaredReLU(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(x)
        out, n = torch.empty_like(x), x.numel()
        squared_relu[lambda meta: (blockdsl.cdiv(n, meta["BLOCK"]),)](x, out, n)
        return out

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:
        (x,) = context.saved_tensors
        gradient, n = gradient.clone(), x.numel()
        squared_relu_backward[(blockdsl.cdiv(n, 1024),)](x, gradient, n, BLOCK=1024)
        return gradient


@torch.compile(backend="blockdsl", fullgraph=True)
def loss(x: torch.Tensor) -> torch.Tensor:
    return (SquaredReLU.apply(x) + x[1:].sum()).square().mean()


def reference(x: torch.Tensor) -> torch.Tensor:
    return (x.relu().square() + x[1:].sum()).square().mean()


def main() -> None:
    x = torch.rand(9_843, requires_grad=True)
    (ours,) = torch.autograd.grad(loss(x), x)
    wide = x.detach().double().requires_grad_()
    (wanted,) = torch.autograd.grad(reference(wide), wide)
    error = ((ours - wanted).abs() / wanted.abs()).max()
    print(f"own_kernel, 9843 elements, gradient: largest relative error {error:.1e}")


if __name__ == "__main__":
    main()
