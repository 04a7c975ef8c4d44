"""Benchmarks of matmuls of 8-bit floats, plain and with a scale for each 32 elements. torch converts them to f32 first,
as its own matmuls are for GPUs. Factors are small integers, so that results do not depend on the order of additions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from benchmarks.case import Case
from benchmarks.kernels import product, scaled_product
from benchmarks.timing import OURS, TORCH

N, BLOCK, DEPTH, SCALED = 512, 64, 256, 32
FLOAT8 = torch.float8_e4m3fn


def cases(_peers: bool) -> Iterator[Case]:
    a, b = (torch.randint(-4, 5, (N, N)).float().to(FLOAT8) for _ in range(2))
    grid = (N // BLOCK, N // BLOCK)
    yield _case(
        "fp8 product",
        lambda out: product[grid](out, a, b, N=N, BLOCK=BLOCK, DEPTH=DEPTH),
        lambda out: torch.mm(a.float(), b.float(), out=out),
        lambda: a.double() @ b.double(),
    )
    # Exponents, biased by 127; b's scales are contiguous along its columns' depth.
    a_scale, b_scale = (torch.randint(126, 129, (N, N // SCALED), dtype=torch.uint8) for _ in range(2))

    def widened(kind: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
        a_factor = torch.exp2(a_scale.to(kind) - 127).repeat_interleave(SCALED, 1)
        b_factor = torch.exp2(b_scale.to(kind) - 127).repeat_interleave(SCALED, 1).T
        return a.to(kind) * a_factor, b.to(kind) * b_factor

    yield _case(
        "scaled product",
        lambda out: scaled_product[grid](out, a, a_scale, b, b_scale, N=N, BLOCK=BLOCK, DEPTH=DEPTH),
        lambda out: torch.mm(*widened(torch.float32), out=out),
        lambda: torch.mm(*widened(torch.float64)),
    )


def _case(
    kernel: str,
    own_call: Callable[[torch.Tensor], object],
    torch_call: Callable[[torch.Tensor], object],
    reference: Callable[[], torch.Tensor],
) -> Case:
    results = {name: torch.empty(N, N) for name in (OURS, TORCH)}
    return Case(
        kernel,
        f"{N} x {N} x {N}",
        {OURS: lambda: own_call(results[OURS]), TORCH: lambda: torch_call(results[TORCH])},
        results,
        reference,
        tolerance=0,
        at_least=1.0,
    )
