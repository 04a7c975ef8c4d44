"""Benchmark of layer norm, forward, where both sides also store the mean and 1 / standard deviation."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks import limits
from benchmarks.case import Case
from benchmarks.peers import Contenders, inductor
from benchmarks.timing import OURS, TORCH
from examples.layer_norm import layer_norm

ROWS, COLUMNS, EPS = 4096, 1024, 1e-5
AT_LEAST = 1.3
"""Times as fast as torch."""


def torch_layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, out: tuple[torch.Tensor, ...]
) -> torch.Tensor:
    shape = (x.shape[1],)
    native = torch.ops.aten.native_layer_norm.out
    normal: torch.Tensor = native(x, shape, weight, bias, EPS, out0=out[0], out1=out[1], out2=out[2])[0]
    return normal


def cases(peers: bool) -> Iterator[Case]:
    x, weight, bias = torch.randn(ROWS, COLUMNS), torch.randn(COLUMNS), torch.randn(COLUMNS)
    outputs = {name: (torch.empty_like(x), torch.empty(ROWS), torch.empty(ROWS)) for name in (OURS, TORCH)}
    outputs[TORCH] = (outputs[TORCH][0], torch.empty(ROWS, 1), torch.empty(ROWS, 1))
    results = {name: out[0] for name, out in outputs.items()}
    contenders: Contenders = {
        OURS: lambda: layer_norm(x, weight, bias, EPS, outputs[OURS]),
        TORCH: lambda: torch_layer_norm(x, weight, bias, outputs[TORCH]),
    }
    if peers:
        inductor(
            contenders,
            results,
            lambda x, weight, bias, out: out.copy_(torch.native_layer_norm(x, (COLUMNS,), weight, bias, EPS)[0]),
            (x, weight, bias),
        )
    yield Case(
        "layer norm",
        f"{ROWS} x {COLUMNS}",
        contenders,
        results,
        lambda: torch.nn.functional.layer_norm(x.double(), (COLUMNS,), weight.double(), bias.double(), EPS),
        tolerance=2e-5,
        limit=lambda threads: limits.streaming_seconds(x.numel(), 1, threads),
        at_least=AT_LEAST,
    )
