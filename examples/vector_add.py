"""Adds two vectors; elements past the end of ``x`` count as zero, which is what ``other`` is for."""

import torch

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def vector_add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Each program adds one block; the mask keeps the last one inside the vectors."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    y = tl.load(y_ptr + offsets, mask=inside, other=0.0)
    tl.store(out_ptr + offsets, x + y, mask=inside)


def add(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor | None = None, block: int = 1024) -> torch.Tensor:
    out = torch.empty_like(x) if out is None else out
    vector_add[(blockdsl.cdiv(x.numel(), block),)](x, y, out, x.numel(), BLOCK=block)
    return out


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = torch.randn(98_432, device=device), torch.randn(98_432, device=device)
    error = (add(x, y).double() - (x.double() + y.double())).abs().max()
    print(f"vector_add, 98432 elements: largest error {error:.1e}")


if __name__ == "__main__":
    main()
