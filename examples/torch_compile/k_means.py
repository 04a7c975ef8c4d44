"""A NumPy program through torch.compile: to which of a few means each of many points is nearest.

    python examples/torch_compile/k_means.py 20000000
    python examples/torch_compile/k_means.py 20000000 cuda

The distances, which NumPy keeps in memory, are nowhere: one kernel reads the points and writes the choices. Under
``torch.device("cuda")`` it is the GPU's, and the arrays go there and back.
"""

import sys

import numpy as np
import torch

from examples.torch_compile.compared import compare

POINTS, MEANS = 20_000_000, 5


def nearest(points: np.ndarray, means: np.ndarray) -> np.ndarray:
    # Not `points - means[:, None]`: under a device torch takes operators of arrays for its own (pytorch#140884).
    return np.argmin(np.linalg.norm(np.subtract(points, means[:, None]), axis=2), axis=0)


def main(count: int = POINTS, device: str = "cpu") -> None:
    compiled = torch.compile(nearest, backend="blockdsl", fullgraph=True)
    for dtype in (np.float64, np.float32):
        generator = np.random.default_rng(0)
        points = generator.standard_normal((count, 2)).astype(dtype)
        means = generator.standard_normal((MEANS, 2)).astype(dtype)
        with torch.device(device):
            compare(f"k_means, {count} points, {points.dtype}", lambda p=points, m=means: compiled(p, m),
                    lambda p=points, m=means: nearest(p, m))  # fmt: skip


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
