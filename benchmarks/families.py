"""Small programs for each kind of kernel that Inductor makes: its Triton code compiled by blockdsl, against its C++.

``python -m benchmarks.torch_compile --families`` runs both on the same inputs. ``PROGRAMS`` maps the name of a family
to programs: a function, and a function that draws its arguments. A ``Step`` runs backward, too.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812

from benchmarks import timing
from benchmarks.report import aligned, seconds
from benchmarks.timing import OURS, Spread

CPP = "C++"
AT_LEAST, MEAN_AT_LEAST = 0.9, 1.5
"""The target ratio of C++'s time to ours, for each program and for the geometric mean."""

HALF, DOUBLE, BYTE = torch.bfloat16, torch.float64, torch.uint8

Function = Callable[..., Any]
r = torch.randn


def at(count: int, *shape: int) -> torch.Tensor:
    """Returns random indices below ``count``."""
    return torch.randint(0, count, shape)


@dataclass(frozen=True)
class Step:
    """A function that also computes the gradients with respect to its floating-point arguments."""

    forward: Function

    def __call__(self, *args: Any) -> Any:
        return self.forward(*args)


@dataclass(frozen=True)
class Random:
    """A function of random numbers. Only the means of two calls are compared."""

    forward: Function

    def __call__(self, *args: Any) -> Any:
        return self.forward(*args).float().mean()


def channels(norm: Function) -> Function:
    """Returns a norm over the channels of images, with a weight per channel."""
    return lambda x, w: norm(x.permute(0, 2, 3, 1), w).permute(0, 3, 1, 2)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    scores = q @ k.mT * q.shape[-1] ** -0.5
    mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    result: torch.Tensor = scores.masked_fill(~mask, -math.inf).softmax(-1) @ v
    return result


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat([-high, low], -1) * sin


def lstm(gates: torch.Tensor, cell: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    i, f, g, o = gates.chunk(4, 1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def gru(x: torch.Tensor, h: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
    (xr, xz, xn), (hr, hz, hn) = x.chunk(3, 1), h.chunk(3, 1)
    update = (xz + hz).sigmoid()
    return (1 - update) * (xn + (xr + hr).sigmoid() * hn).tanh() + update * state


def adam(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    m, v = m.lerp(g, 0.1), v * 0.999 + g * g * 0.001
    return p - 1e-3 * (m / 0.9) / ((v / 0.001).sqrt() + 1e-8), m, v


def clipped(*gradients: torch.Tensor) -> list[torch.Tensor]:
    norm = torch.stack([gradient.square().sum() for gradient in gradients]).sum().sqrt()
    return [gradient * (1 / (norm + 1e-6)).clamp(max=1) for gradient in gradients]


def graph(x: torch.Tensor, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(x).index_add(0, target, x[source])


def stencil(x: torch.Tensor) -> torch.Tensor:
    return x[1:-1, 1:-1] * 4 - x[:-2, 1:-1] - x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:]


def blurred(x: torch.Tensor) -> torch.Tensor:
    x = F.pad(x, (1, 1, 1, 1), mode="reflect")
    rows = x[..., :-2, :] + 2 * x[..., 1:-1, :] + x[..., 2:, :]
    return (rows[..., :-2] + 2 * rows[..., 1:-1] + rows[..., 2:]) / 16


IMAGES = lambda: (r(4, 32, 56, 56),)  # noqa: E731
PLANE, LONG = (lambda: (r(1000, 1000),)), (lambda: (r(1 << 20),))

PROGRAMS: dict[str, dict[str, tuple[Function, Callable[[], Sequence[torch.Tensor]]]]] = {
    "elementwise": {
        "addition": (lambda x, y: x + y, lambda: (r(1000, 1000), r(1000, 1000))),
        "gelu": (F.gelu, PLANE),
        "gated silu": (lambda x, y: F.silu(x) * y, lambda: (r(1000, 1000, dtype=HALF), r(1000, 1000, dtype=HALF))),
        "polynomial, f64": (lambda x: ((x * 3 + 2) * x - 1) * x, lambda: (r(500, 1000, dtype=DOUBLE),)),
        "clamp and where": (lambda x: torch.where(x > 0, x.clamp(max=1), x * 0.1), PLANE),
        "blend of uint8": (lambda a, b: ((a.int() * 3 + b.int()) >> 2).to(BYTE),
                           lambda: (at(256, 1 << 20).to(BYTE), at(256, 1 << 20).to(BYTE))),
        "squares of int64": (lambda x: x * x + 1, lambda: (at(1000, 1 << 19),)),
        "bool masks": (lambda x, y: (x > 0) & (y < 1) | (x < y), lambda: (r(1 << 20), r(1 << 20))),
        "bf16 and f32": (lambda x, y: x * y + 1, lambda: (r(1 << 20, dtype=HALF), r(1 << 20))),
    },
    "broadcast": {
        "rows and columns": (lambda x, y: x[:, None] * y + y, lambda: (r(1000), r(1000))),
        "one-hot": (lambda i: F.one_hot(i, 100).float(), lambda: (at(100, 10000),)),
        "positions": (lambda n: n + torch.arange(512)[:, None] * 7 % 13 + torch.arange(512),
                      lambda: (at(9, 512, 512),)),
        "bias and scale of channels": (lambda x, w: F.relu(x * w[:, None, None]), lambda: (r(4, 32, 56, 56), r(32))),
    },
    "layout": {
        "transposed copy": (lambda x: x.t().contiguous(), PLANE),
        "channels last": (lambda x: x.contiguous(memory_format=torch.channels_last), IMAGES),
        "transposed sum": (lambda x, y: x + y.t(), lambda: (r(1000, 1000), r(1000, 1000))),
        "concatenation": (lambda x, y: torch.cat([x, y], 1), lambda: (r(1000, 300), r(1000, 500))),
        "stack": (lambda x, y: torch.stack([x, y], -1), lambda: (r(1000, 500), r(1000, 500))),
        "rotary embedding": (rotary, lambda: (r(2, 8, 256, 64), r(256, 64), r(256, 64))),
        "flip": (lambda x: x.flip(1), PLANE),
        "repeat of rows": (lambda x: x.repeat_interleave(4, 0), lambda: (r(1000, 200),)),
    },
    "reduction": {
        "sum of rows": (lambda x: x.sum(1), PLANE),
        "sum of columns": (lambda x: x.sum(0), PLANE),
        "sum of everything": (lambda x: x.sum(), LONG),
        "variance": (lambda x: x.var(1), PLANE),
        "norm of columns": (lambda x: x.norm(dim=0), PLANE),
        "log of sums": (lambda x: x.logsumexp(1), PLANE),
        "sum of a transposed product": (lambda x, y: (x * y.t()).sum(1), lambda: (r(1000, 1000), r(1000, 1000))),
        "maximum of the middle": (lambda x: x.amax(1), lambda: (r(64, 100, 200),)),
        "any": (lambda x: (x > 3).any(1), PLANE),
        "argmax of rows": (lambda x: x.argmax(1), PLANE),
        "argmax of columns": (lambda x: x.argmax(0), PLANE),
        "minimum with its place": (lambda x: x.min(1), PLANE),
    },
    "softmax": {
        "of rows": (lambda x: x.softmax(1), PLANE),
        "of long rows": (lambda x: x.softmax(1), lambda: (r(64, 50000),)),
        "over dimension 0": (lambda x: x.softmax(0), PLANE),
        "log, with its gradient": (Step(lambda x: x.log_softmax(1)), PLANE),
    },
    "norm": {
        "layer norm": (lambda x, w, b: F.layer_norm(x, (768,), w, b), lambda: (r(1000, 768), r(768), r(768))),
        "layer norm, step": (Step(lambda x, w, b: F.layer_norm(x, (768,), w, b)),
                             lambda: (r(1000, 768), r(768), r(768))),
        "RMS norm, step": (Step(lambda x, w: F.rms_norm(x, (768,), w)), lambda: (r(1000, 768), r(768))),
        "layer norm of channels": (channels(lambda x, w: F.layer_norm(x, (32,), w)), lambda: (r(4, 32, 56, 56), r(32))),
        "layer norm of channels, step": (
            Step(channels(lambda x, w: F.layer_norm(x, (32,), w))), lambda: (r(4, 32, 56, 56), r(32))),
        "batch norm, step": (Step(lambda x, w, b: F.batch_norm(x, None, None, w, b, True)),
                             lambda: (r(8, 32, 28, 28), r(32), r(32))),
        "group norm": (lambda x, w, b: F.group_norm(x, 8, w, b), lambda: (r(4, 32, 56, 56), r(32), r(32))),
        "group norm, step": (Step(lambda x, w, b: F.group_norm(x, 8, w, b)), lambda: (r(4, 32, 56, 56), r(32), r(32))),
    },
    "images": {
        "average pooling": (lambda x: F.avg_pool2d(x, 3, 2, 1), IMAGES),
        "average pooling, step": (Step(lambda x: F.avg_pool2d(x, 2)), IMAGES),
        "maximum pooling": (lambda x: F.max_pool2d(x, 3, 2, 1), IMAGES),
        "maximum pooling, step": (Step(lambda x: F.max_pool2d(x, 2)), IMAGES),
        "adaptive pooling": (lambda x: F.adaptive_avg_pool2d(x, 7), IMAGES),
        "bilinear, twice": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), IMAGES),
        "nearest, twice": (lambda x: F.interpolate(x, scale_factor=2), IMAGES),
        "pixel shuffle": (lambda x: F.pixel_shuffle(x, 2), IMAGES),
        "padding": (lambda x: F.pad(x, (1, 2, 3, 4)), IMAGES),
        "reflected blur": (blurred, IMAGES),
        "roll": (lambda x: x.roll((3, 5), (2, 3)), IMAGES),
        "stencil, f64": (stencil, lambda: (r(1000, 1000, dtype=DOUBLE),)),
        "patches": (lambda x: F.unfold(x, 3, padding=1), lambda: (r(2, 16, 56, 56),)),
    },
    "gather": {
        "rows by an index": (lambda x, i: x[i], lambda: (r(1000, 64), at(1000, 10000))),
        "columns by an index": (lambda x, i: x[:, i], lambda: (r(1000, 1000), at(1000, 1000))),
        "gather": (lambda x, i: x.gather(1, i), lambda: (r(1000, 500), at(500, 1000, 500))),
        "where of two gathers": (lambda x, i, j: torch.where(i > j, x[i], x[j]),
                                 lambda: (r(10000), at(10000, 300000), at(10000, 300000))),
        "mean of embeddings": (lambda w, i: w[i].mean(1), lambda: (r(5000, 64), at(5000, 512, 16))),
    },
    "scatter": {
        "index_add": (lambda i, x: torch.zeros(1000, 64).index_add(0, i, x), lambda: (at(1000, 20000), r(20000, 64))),
        "scatter_add": (lambda i, x: torch.zeros(1000).scatter_add(0, i, x), lambda: (at(1000, 200000), r(200000))),
        "scatter": (lambda x, i: torch.zeros(1000, 500).scatter(1, i, x),
                    lambda: (r(1000, 500), torch.rand(1000, 500).argsort(1))),
        "embedding, step": (Step(lambda w, i: F.embedding(i, w)), lambda: (r(5000, 128), at(5000, 4096))),
        "messages of a graph, step": (Step(graph), lambda: (r(2000, 64), at(2000, 20000), at(2000, 20000))),
    },
    "scan": {
        "cumsum": (lambda x: x.cumsum(0), LONG),
        "cumsum of rows": (lambda x: x.cumsum(1), PLANE),
        "cumprod of rows": (lambda x: x.cumprod(1), PLANE),
        "cummax of rows": (lambda x: x.cummax(1), PLANE),
    },
    "sort": {
        "rows of 100": (lambda x: x.sort(1), lambda: (r(2000, 100),)),
        "rows of 400": (lambda x: x.argsort(1), lambda: (r(500, 400),)),
    },
    "loss": {
        "cross entropy": (F.cross_entropy, lambda: (r(512, 32000), at(32000, 512))),
        "cross entropy, step": (Step(F.cross_entropy), lambda: (r(512, 4000), at(4000, 512))),
        "binary cross entropy": (F.binary_cross_entropy_with_logits, lambda: (r(1000, 1000), torch.rand(1000, 1000))),
        "Huber, step": (Step(F.huber_loss), lambda: (r(1000, 1000), r(1000, 1000))),
    },
    "training": {
        "Adam": (adam, lambda: (*r(3, 1000, 1000), torch.rand(1000, 1000))),
        "clipped gradients": (clipped, lambda: (r(512, 512), r(512), r(512, 2048), r(2048))),
        "dropout, step": (Random(Step(lambda x: F.dropout(x, 0.3))), PLANE),
        "normal numbers": (Random(lambda x: x + torch.randn_like(x)), LONG),
    },
    "cells": {
        "LSTM": (lstm, lambda: (r(256, 2048), r(256, 512))),
        "GRU, step": (Step(gru), lambda: (r(256, 1536), r(256, 1536), r(256, 512))),
        "attention": (attention, lambda: tuple(r(3, 2, 8, 128, 64))),
        "attention, step": (Step(attention), lambda: tuple(r(3, 2, 8, 128, 64))),
        "spectrum": (lambda x: torch.fft.rfft(x * torch.hann_window(512)).abs().square(), lambda: (r(500, 512),)),
    },
    "small and odd": {
        "one number": (lambda x: x * 2 + 1, lambda: (r(()),)),
        "softmax of 7 x 13": (lambda x: x.softmax(1), lambda: (r(7, 13),)),
        "sums of 33 x 65 x 17": (lambda x: x.sum(1), lambda: (r(33, 65, 17),)),
        "rows of 3": (lambda x: x / x.norm(dim=1, keepdim=True), lambda: (r(100001, 3),)),
    },
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    family: str
    name: str
    threads: int
    ours: Spread
    theirs: Spread
    ratio: Spread

    @property
    def held(self) -> bool:
        return self.ratio.high >= AT_LEAST


def leaves(value: Any) -> list[torch.Tensor]:
    """Returns the tensors of a result."""
    return [value] if isinstance(value, torch.Tensor) else [leaf for item in value for leaf in leaves(item)]


def call_of(function: Function, compiled: Function, arguments: Sequence[torch.Tensor]) -> Callable[[], Any]:
    """Returns a call of a compiled program, including backward for a step."""
    inner = function.forward if isinstance(function, Random) else function
    if not isinstance(inner, Step):
        return partial(compiled, *arguments)
    arguments = [argument.clone().requires_grad_(argument.is_floating_point()) for argument in arguments]
    inputs = [argument for argument in arguments if argument.requires_grad]
    generator = torch.Generator().manual_seed(1)
    weights: list[torch.Tensor] = []

    def step() -> list[torch.Tensor]:
        result = compiled(*arguments)
        weights[:] = weights or [torch.randn(result.shape, generator=generator)]
        return [result.detach(), *torch.autograd.grad(result, inputs, weights[0])]

    return step


def check(name: str, function: Function, results: dict[str, Any]) -> None:
    """Compares all results with eager's, with torch's tolerances for compiled functions."""
    eager = leaves(results["eager"])
    for contender, result in results.items():
        for actual, expected in zip(leaves(result), eager, strict=True):
            is_rough = actual.dtype == HALF or isinstance(function, Random)
            largest = float(expected.abs().max()) if expected.is_floating_point() else 0.0
            rtol, atol = (1e-2, 1e-2) if is_rough else (1e-4, 1e-4 * largest)
            torch.testing.assert_close(
                actual, expected, rtol=rtol, atol=atol, msg=partial("{}, by {}: {}".format, name, contender)
            )


def measure(family: str, name: str, threads: int, rounds: int) -> Row:
    """Measures one program on a number of threads, which is a constant in Inductor's C++ code."""
    function, draw = PROGRAMS[family][name]
    torch.manual_seed(0)
    arguments = draw()
    with timing.threads(threads):
        torch._dynamo.reset()
        compiled = {"eager": function} | {
            contender: torch.compile(function, backend=backend, fullgraph=True, dynamic=False)
            for contender, backend in ((OURS, "blockdsl"), (CPP, "inductor"))
        }
        calls = {contender: call_of(function, run, arguments) for contender, run in compiled.items()}
        check(name, function, {contender: call() for contender, call in calls.items()})
        del calls["eager"]
        timings = timing.compare(calls, rounds)
    return Row(family, name, threads, timings.seconds[OURS], timings.seconds[CPP], timings.ratios[CPP])


def rows(filters: Sequence[str], threads: Sequence[int], rounds: int) -> Iterator[Row]:
    for family, programs in PROGRAMS.items():
        for name in programs:
            if not filters or any(text in f"{family}: {name}" for text in filters):
                yield from (measure(family, name, count, rounds) for count in threads)


def mean(results: Sequence[Row]) -> float:
    """Returns the geometric mean of C++'s time over ours."""
    return math.exp(statistics.fmean(math.log(row.ratio.median) for row in results))


def table(results: Sequence[Row]) -> str:
    headings = ["family", "program", "threads", "blockdsl", CPP, f"{CPP} / blockdsl (quartiles)", "held"]
    lines = [
        [row.family, row.name, str(row.threads), seconds(row.ours.median), seconds(row.theirs.median),
         f"{row.ratio.median:.2f} ({row.ratio.low:.2f} to {row.ratio.high:.2f})", "yes" if row.held else "NO"]
        for row in results
    ]  # fmt: skip
    return aligned(headings, lines, {0, 1, 6})


def run(parts: Sequence[str], threads: Sequence[int], rounds: int, path: Path | None) -> None:
    """Measures and prints each program, and then the means."""
    results: list[Row] = []
    for row in rows(parts, threads, rounds):
        results.append(row)
        print(table([row]).splitlines()[-1], flush=True)
    print(table(results))
    for count in threads:
        of_count = [row for row in results if row.threads == count]
        print(f"{count} threads: geometric mean {mean(of_count):.2f}, held to {MEAN_AT_LEAST}; "
              f"{sum(not row.held for row in of_count)} of {len(of_count)} below {AT_LEAST}")  # fmt: skip
    if path:
        path.write_text(json.dumps([asdict(row) for row in results], indent=1) + "\n")
