"""Random numbers: counters of Philox here, torch's generator there. What is compared is how they are distributed."""

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
    """Numbers that nobody can foretell: of each contender's the moments are held against the reference's."""

    def errors(self) -> dict[str, float]:
        """The largest error of mean, mean square and mean fourth power."""
        found = {}
        for name, call in self.contenders.items():
            self.results[name].fill_(float("nan"))
            call()
            x = self.results[name].double()
            moments = torch.stack([x.mean(), x.square().mean(), x.square().square_().mean()])
            found[name] = float((moments - self.expected).abs().max())
        return found


def cases(_peers: bool) -> Iterator[Case]:
    for kernel, is_normal, moments in (("rand", False, [1 / 2, 1 / 3, 1 / 5]), ("randn", True, [0.0, 1.0, 3.0])):
        yield _case(kernel, is_normal, torch.tensor(moments, dtype=torch.float64))


def _case(kernel: str, is_normal: bool, moments: torch.Tensor) -> Case:
    results = {name: torch.empty(ELEMENTS) for name in (OURS, TORCH)}
    theirs = torch.randn if is_normal else torch.rand
    return Drawn(
        kernel,
        f"{ELEMENTS >> 20} Mi",
        {
            OURS: lambda: draw[(ELEMENTS // BLOCK,)](results[OURS], 42, NORMAL=is_normal, BLOCK=BLOCK),
            TORCH: lambda: theirs(ELEMENTS, out=results[TORCH]),
        },
        results,
        lambda: moments,
        # The fourth power's mean of as many normal numbers is off by 0.0024, in the mean.
        tolerance=0.02,
        at_least=1.0,
    )
