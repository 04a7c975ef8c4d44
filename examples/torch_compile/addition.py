"""The smallest graph: an addition of two matrices, in one kernel that Inductor generates and blockdsl compiles."""

import torch


@torch.compile(backend="blockdsl", fullgraph=True)
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


def main() -> None:
    x, y = torch.randn(2, 1000, 1000)
    error = (add(x, y) - (x + y)).abs().max()
    print(f"addition, 1000 x 1000: largest error {error:.1e}")


if __name__ == "__main__":
    main()
