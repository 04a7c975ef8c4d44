"""A NumPy function with gradients, which ``wrap_numpy`` converts to a function of tensors. Backward is compiled."""

import numpy as np
import torch


def energy(x: np.ndarray) -> np.ndarray:
    return np.sum(np.sin(x) ** 2 * np.exp(-x * x / 10), axis=1)


@torch.compile(backend="blockdsl", fullgraph=True)
@torch.compiler.wrap_numpy
def compiled(x: np.ndarray) -> np.ndarray:
    return energy(x)


def main() -> None:
    x = torch.linspace(-3, 3, 30_000, dtype=torch.float64).reshape(300, 100).requires_grad_()
    (gradient,) = torch.autograd.grad(compiled(x).sum(), x)
    at = x.detach()
    decay = torch.exp(-at * at / 10)
    wanted = (2 * at.sin() * at.cos() - at.sin() ** 2 * at / 5) * decay
    print(f"numpy_gradient, 300 x 100: largest error {(gradient - wanted).abs().max():.1e}")


if __name__ == "__main__":
    main()
