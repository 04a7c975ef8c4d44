"""Fusion of two functions to one kernel: the intermediate result is never stored."""

import torch


@torch.compile(backend="blockdsl", fullgraph=True)
def sin_cos(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(torch.cos(x))


def main() -> None:
    x = torch.randn(1_000_000)
    error = (sin_cos(x) - x.double().cos().sin()).abs().max()
    print(f"sin_cos, 1000000 elements: largest error {error:.1e}")


if __name__ == "__main__":
    main()
