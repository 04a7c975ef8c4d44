"""``python test/python/cuda/torch_compile_program.py``, on a GPU: graphs of GPU tensors with our back end.

torch's kernels for the GPU are compiled by Triton, whichever driver the CPU has; kernels of ``@blockdsl.jit`` within
graphs run there, too. Each graph runs on both devices, alternating, and is compared with eager torch or NumPy in f64.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from triton.runtime import driver

import blockdsl
from examples.torch_compile import k_means, mlp, numpy_gradient, own_kernel, training

DEVICES = ("cpu", "cuda", "cpu", "cuda")


def close(ours: torch.Tensor, expected: torch.Tensor, tolerance: float, what: str) -> None:
    error = float((ours.cpu().double() - expected.cpu().double()).abs().max() / expected.double().abs().max())
    assert error <= tolerance, (what, error)
    print(f"{what}: largest error {error:.1e}", flush=True)


def check_k_means(device: str) -> None:
    """A NumPy program, on tensors of a device, and on arrays that torch moves to one."""
    moved = torch.compile(k_means.nearest, backend="blockdsl", fullgraph=True)
    compiled = torch.compile(torch.compiler.wrap_numpy(k_means.nearest), backend="blockdsl", fullgraph=True)
    for dtype in (np.float64, np.float32):
        generator = np.random.default_rng(1)
        points = generator.standard_normal((1_000_000, 2)).astype(dtype)
        means = generator.standard_normal((k_means.MEANS, 2)).astype(dtype)
        chosen = compiled(torch.from_numpy(points).to(device), torch.from_numpy(means).to(device)).cpu().numpy()
        with torch.device(device):
            assert np.array_equal(moved(points, means), chosen)
        far = np.linalg.norm(points.astype(np.float64) - means.astype(np.float64)[:, None], axis=2)
        at = np.arange(len(points))
        excess = far[chosen, at] - far.min(axis=0)
        assert excess.max() <= 1e-5, (device, dtype, excess.max())
        print(f"k-means of {dtype.__name__}, {device}: {np.mean(excess > 0):.1e} of the choices are ties", flush=True)


def check_gradient(device: str) -> None:
    x = torch.linspace(-3, 3, 30_000, dtype=torch.float64, device=device).reshape(300, 100).requires_grad_()
    (ours,) = torch.autograd.grad(numpy_gradient.compiled(x).sum(), x)
    wide = x.detach().clone().requires_grad_()
    energy = (wide.sin() ** 2 * torch.exp(-wide * wide / 10)).sum()
    close(ours, *torch.autograd.grad(energy, wide), 1e-12, f"a gradient of NumPy, {device}")


def check_own_kernel(device: str) -> None:
    x = torch.rand(9_843, device=device, requires_grad=True)
    (ours,) = torch.autograd.grad(own_kernel.loss(x), x)
    wide = x.detach().double().requires_grad_()
    close(ours, *torch.autograd.grad(own_kernel.reference(wide), wide), 1e-4, f"a kernel of ours, {device}")


def check_in_place(device: str) -> None:
    """A kernel writes a view in a graph that continues with its base, for different sizes."""

    @torch.compile(backend="blockdsl", fullgraph=True, dynamic=True)
    def stepped(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        part = y[3:]
        own_kernel.squared_relu_backward[(blockdsl.cdiv(part.numel(), 1024),)](x[3:], part, part.numel(), BLOCK=1024)
        return y + 1

    for size in (100, 5_001):
        x = torch.randn(size, device=device)
        expected = 2 * x.double()
        expected[3:] *= 2 * x.double()[3:].clamp(min=0)
        close(stepped(x), expected + 1, 1e-6, f"a view in place, {size}, {device}")


def check_saved(device: str) -> None:
    class Model(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(x)
            own_kernel.squared_relu[lambda meta: (blockdsl.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
            return out + 1

    x = torch.randn(1_000, device=device)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "model.pt2")
        torch.export.save(torch.export.export(Model(), (x,)), path)
        loaded = torch.export.load(path).module()
    close(loaded(x), x.double().relu().square() + 1, 1e-6, f"an exported kernel, {device}")


def check_training(device: str) -> None:
    """Forward, backward and the optimizer's step; the losses of five steps."""
    model = mlp.make_model().to(device)
    with torch.device(device):
        given = (nn.functional.cross_entropy, *mlp.data())
        expected = training.losses(copy.deepcopy(model), *given, compiled=False)
        ours = training.losses(model, *given, compiled=True)
    close(torch.tensor(ours), torch.tensor(expected), 1e-4, f"training, {device}")


CHECKS: tuple[Callable[[str], Any], ...] = (
    check_k_means, check_gradient, check_own_kernel, check_in_place, check_saved, check_training,
)  # fmt: skip


def main() -> None:
    for check in CHECKS:
        for device in DEVICES:
            check(device)
    assert driver.active.get_current_target().backend == "cuda"
    print(f"{len(CHECKS)} programs on {torch.cuda.get_device_name()}: each in turns with the CPU")


if __name__ == "__main__":
    main()
