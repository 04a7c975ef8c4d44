"""Layer norm, forward: normalizes each row, and stores the mean and 1 / standard deviation for a backward pass."""

import torch

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def layer_norm_rows(
    x_ptr, out_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, stride, columns, eps, BLOCK: tl.constexpr
):
    """One program takes one row, in steps of BLOCK columns: a pass for the mean, one for the variance, one to write."""
    row = tl.program_id(0)
    x_ptr += row * stride
    out_ptr += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns

    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
        centred = tl.where(offsets < columns, x - mean, 0.0)
        squares += centred * centred
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + offsets, mask=inside)
        bias = tl.load(bias_ptr + offsets, mask=inside)
        tl.store(out_ptr + offsets, (x - mean) * rstd * weight + bias, mask=inside)


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    eps: float = 1e-5,
    out: tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None = None,
    block: int = 1024,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Returns the normalized rows, their means, and their 1 / standard deviations."""
    rows, columns = x.shape
    out = (torch.empty_like(x), x.new_empty(rows), x.new_empty(rows)) if out is None else out
    normal, mean, rstd = out
    block = min(block, blockdsl.next_power_of_2(columns))
    layer_norm_rows[(rows,)](x, normal, weight, bias, mean, rstd, x.stride(0), columns, eps, BLOCK=block)
    return out


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(1151, 8192, device=device)
    weight, bias = torch.randn(8192, device=device), torch.randn(8192, device=device)
    expected = torch.nn.functional.layer_norm(x.double(), (8192,), weight.double(), bias.double(), 1e-5)
    error = (layer_norm(x, weight, bias)[0].double() - expected).abs().max()
    print(f"layer_norm, 1151 x 8192: largest error {error:.1e}")


if __name__ == "__main__":
    main()
