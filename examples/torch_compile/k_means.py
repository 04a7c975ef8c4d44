"""A NumPy program with torch.compile: the nearest of a few means for each of many points.

    python examples/torch_compile/k_means.py 20000000
    python examples/torch_compile/k_means.py 20000000 cuda

NumPy stores the distances in memory; compiled, one kernel reads the points and writes the indices. With
``torch.device("cuda")`` it runs on the GPU, and the arrays are copied there and back.
"""

import sys

import numpy as np
import torch

from examples.torch_compile.compared import compare

POINTS, MEANS = 20_000_000, 5


def nearest(points: np.ndarray, means: np.ndarray) -> np.ndarray:
    # Not `points - means[:, None]`: with a default device torch mishandles operators of arrays (pytorch#140884).
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
