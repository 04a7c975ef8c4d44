"""A user's kernel in a compiled graph, with a grid function, and without a graph break."""

import torch
import triton
import triton.language as tl


@triton.jit
def weighted_sum(x_ptr, y_ptr, out_ptr, n, weight, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + weight * y, mask=inside)


@torch.compile(backend="blockdsl", fullgraph=True)
def mixed(x: torch.Tensor, y: torch.Tensor, weight: float) -> torch.Tensor:
    out = torch.zeros_like(x)
    n = out.numel()
    weighted_sum[lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)](x, y, out, n, weight, BLOCK_SIZE=1024)
    return out.relu()


def main() -> None:
    x, y = torch.randn(2, 98_432)
    error = (mixed(x, y, 0.25).double() - (x.double() + 0.25 * y).relu()).abs().max()
    print(f"user_kernel, 98432 elements: largest error {error:.1e}")


if __name__ == "__main__":
    main()
