"""Benchmarks of random numbers: Philox counters against torch's generator. The distributions are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from benchmarks.case import Case
from benchmarks.kernels import draw
from benchmarks.timing import OURS, TORCH

ELEMENTS, BLOCK = 16 << 20, 4096


@dataclass(frozen=True)
class Drawn(Case):
    """Random numbers: the moments of each contender are compared with the reference's."""

    def errors(self) -> dict[str, float]:
        """Returns the largest error of mean, mean square and mean fourth power."""
        by_name = {}
        for name, call in self.contenders.items():
            self.results[name].fill_(float("nan"))
            call()
            x = self.results[name].double()
            moments = torch.stack([x.mean(), x.square().mean(), x.square().square_().mean()])
            by_name[name] = float((moments - self.expected).abs().max())
        return by_name


def cases(_peers: bool) -> Iterator[Case]:
    for kernel, is_normal, moments in (("rand", False, [1 / 2, 1 / 3, 1 / 5]), ("randn", True, [0.0, 1.0, 3.0])):
        yield _case(kernel, is_normal, torch.tensor(moments, dtype=torch.float64))


def _case(kernel: str, is_normal: bool, moments: torch.Tensor) -> Case:
    results = {name: torch.empty(ELEMENTS) for name in (OURS, TORCH)}
    torch_function = torch.randn if is_normal else torch.rand
    return Drawn(
        kernel,
        f"{ELEMENTS >> 20} Mi",
        {
            OURS: lambda: draw[(ELEMENTS // BLOCK,)](results[OURS], 42, NORMAL=is_normal, BLOCK=BLOCK),
            TORCH: lambda: torch_function(ELEMENTS, out=results[TORCH]),
        },
        results,
        lambda: moments,
        # The mean fourth power of this many normal numbers has an average error of 0.0024.
        tolerance=0.02,
        at_least=1.0,
    )
