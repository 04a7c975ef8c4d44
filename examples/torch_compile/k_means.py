"""A NumPy program through torch.compile: to which of a few means each of many points is nearest.

    python examples/torch_compile/k_means.py 20000000

The distances, which NumPy keeps in memory, are nowhere: one kernel reads the points and writes the choices.
"""

import sys

import numpy as np
import torch

from examples.torch_compile.compared import compare

POINTS, MEANS = 20_000_000, 5


def nearest(points: np.ndarray, means: np.ndarray) -> np.ndarray:
    return np.argmin(np.linalg.norm(points - means[:, None], axis=2), axis=0)


def main(count: int = POINTS) -> None:
    compiled = torch.compile(nearest, backend="blockdsl", fullgraph=True)
    for dtype in (np.float64, np.float32):
        generator = np.random.default_rng(0)
        points = generator.standard_normal((count, 2)).astype(dtype)
        means = generator.standard_normal((MEANS, 2)).astype(dtype)
        compare(f"k_means, {count} points, {points.dtype}", lambda p=points, m=means: compiled(p, m),
                lambda p=points, m=means: nearest(p, m))  # fmt: skip


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
