"""Interface of a benchmark module: contenders on the same tensors, their check, and the machine's limit."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Case:
    """One row of the table.

    ``contenders`` write their result to existing tensors (otherwise page faults dominate the time); ``results`` are
    these tensors; ``reference`` is computed in f64. ``limit`` returns for a number of threads the least seconds in
    which this machine could do the same. The target is a ratio to torch (``at_least``) or a number of seconds
    (``at_most``).
    """

    kernel: str
    size: str
    contenders: dict[str, Callable[[], object]]
    results: dict[str, torch.Tensor]
    reference: Callable[[], torch.Tensor]
    tolerance: float
    limit: Callable[[int], float] | None = None
    at_least: float | None = None
    at_most: float | None = None

    @functools.cached_property
    def expected(self) -> torch.Tensor:
        return self.reference()

    def errors(self) -> dict[str, float]:
        """Runs every contender once, and returns the largest absolute error of each."""
        by_name = {}
        for name, call in self.contenders.items():
            self.results[name].fill_(float("nan") if self.results[name].is_floating_point() else -1)
            call()
            by_name[name] = float((self.results[name].double() - self.expected).abs().max())
        return by_name

    def check(self) -> dict[str, float]:
        """Returns the errors. Raises an error for a wrong result, which is not timed."""
        errors = self.errors()
        for name, error in errors.items():
            if not error <= self.tolerance:
                raise AssertionError(f"{self.kernel} {self.size}: {name} is off by {error:.2e}")
        return errors
