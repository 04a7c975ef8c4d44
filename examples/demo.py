"""Four kernels on ragged sizes against torch: ``make demo``; ``make demo SHOW=softmax`` prints one at every stage."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import limits, timing
from benchmarks.report import aligned, seconds
from examples import layer_norm, matmul, softmax, vector_add

ROUNDS = 21
STAGES = ("ttir", "linalg", "nests", "loops", "llir", "asm")


@dataclass(frozen=True)
class Demo:
    """One size of a kernel. Both sides write to existing tensors; ``limit`` is the machine's limit in seconds."""

    size: str
    ours: Callable[[], object]
    torch: Callable[[], object]
    result: torch.Tensor
    reference: Callable[[], torch.Tensor]
    limit: Callable[[int], float]


def demo_vector_add() -> Demo:
    n = 98_432
    x, y, out, theirs = torch.randn(n), torch.randn(n), torch.empty(n), torch.empty(n)
    return Demo(
        f"{n}",
        lambda: vector_add.add(x, y, out),
        lambda: torch.add(x, y, out=theirs),
        out,
        lambda: x.double() + y.double(),
        lambda threads: limits.streaming_seconds(n, 2, threads),
    )


def demo_softmax() -> Demo:
    rows, columns = 1823, 781
    x = torch.randn(rows, columns)
    out, theirs = torch.empty_like(x), torch.empty_like(x)
    return Demo(
        f"{rows} x {columns}",
        lambda: softmax.softmax(x, out),
        lambda: torch.softmax(x, 1, out=theirs),
        out,
        lambda: torch.softmax(x.double(), 1),
        lambda threads: limits.streaming_seconds(x.numel(), 1, threads),
    )


def demo_layer_norm() -> Demo:
    rows, columns, eps = 1151, 8192, 1e-5
    x, weight, bias = torch.randn(rows, columns), torch.randn(columns), torch.randn(columns)
    out = (torch.empty_like(x), torch.empty(rows), torch.empty(rows))
    theirs = (torch.empty_like(x), torch.empty(rows, 1), torch.empty(rows, 1))
    norm = torch.ops.aten.native_layer_norm.out
    return Demo(
        f"{rows} x {columns}",
        lambda: layer_norm.layer_norm(x, weight, bias, eps, out),
        lambda: norm(x, (columns,), weight, bias, eps, out0=theirs[0], out1=theirs[1], out2=theirs[2]),
        out[0],
        lambda: torch.nn.functional.layer_norm(x.double(), (columns,), weight.double(), bias.double(), eps),
        lambda threads: limits.streaming_seconds(x.numel(), 1, threads),
    )


def demo_matmul() -> Demo:
    m, n, k = 1000, 777, 513
    a, b, out, theirs = torch.randn(m, k), torch.randn(k, n), torch.empty(m, n), torch.empty(m, n)

    def torch_matmul() -> torch.Tensor:
        return torch.nn.functional.leaky_relu_(torch.mm(a, b, out=theirs), 0.01)

    return Demo(
        f"{m} x {n} x {k}",
        lambda: matmul.matmul(a, b, matmul.leaky_relu, out),
        torch_matmul,
        out,
        lambda: torch.nn.functional.leaky_relu(a.double() @ b.double(), 0.01),
        lambda threads: 2 * m * n * k / limits.peak_flops(threads),
    )


DEMOS = {
    "vector_add": demo_vector_add,
    "softmax": demo_softmax,
    "layer_norm": demo_layer_norm,
    "matmul": demo_matmul,
}

KERNELS = {
    "vector_add": (vector_add, "vector_add"),
    "softmax": (softmax, "softmax_rows"),
    "layer_norm": (layer_norm, "layer_norm_rows"),
    "matmul": (matmul, "matmul_tiles"),
}

TOLERANCE = 1e-3
"""Tolerance of f32 against f64: much larger than rounding errors, and much smaller than errors of wrong code."""


def measure(name: str, demo: Demo) -> list[str]:
    demo.ours()
    error = float((demo.result.double() - demo.reference()).abs().max())
    if not error < TOLERANCE:
        raise SystemExit(f"{name} is wrong: the largest error is {error:.1e}")
    timed = timing.compare({timing.OURS: demo.ours, timing.TORCH: demo.torch}, ROUNDS)
    ours, theirs = timed.seconds[timing.OURS].median, timed.seconds[timing.TORCH].median
    limit = min(demo.limit(threads) for threads in {1, torch.get_num_threads()})
    ratio = timed.ratios[timing.TORCH].median
    return [
        name,
        demo.size,
        f"{error:.1e}",
        seconds(ours),
        seconds(theirs),
        f"{ratio:.2f} x",
        f"{100 * limit / ours:.0f} %",
    ]


class Recorder:
    """Wraps a kernel and stores the results of its launches, the compiled kernels."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.compiled: Any = None

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        def launch(*arguments: object, **constants: object) -> None:
            self.compiled = self.kernel[grid](*arguments, **constants)

        return launch


def show(name: str) -> None:
    """Prints a kernel at every stage."""
    module, kernel = KERNELS[name]
    recorder = Recorder(getattr(module, kernel))
    setattr(module, kernel, recorder)
    DEMOS[name]().ours()
    for stage in STAGES:
        print(f"{'=' * 30} {stage} {'=' * 30}\n{recorder.compiled.asm[stage]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", choices=DEMOS, help="print this kernel at every stage")
    options = parser.parse_args()
    torch.manual_seed(0)
    if options.show:
        show(options.show)
        return
    lines = [measure(name, make()) for name, make in DEMOS.items()]
    headings = ["kernel", "size", "largest error", "blockdsl", "torch", "torch / blockdsl", "of the machine's limit"]
    print(aligned(headings, lines, {0, 1}))
    print(f"\nf32, {torch.get_num_threads()} threads; errors against f64; times are medians of {ROUNDS} rounds.")


if __name__ == "__main__":
    main()
