"""The search for the fastest configuration among those that pruning leaves.

A configuration that does not compile, or exceeds the available memory, has infinite time.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blockdsl.autotuner.config import Config
from blockdsl.autotuner.layer import expanded
from blockdsl.errors import (
    BlockdslError,
    CompilationError,
    KernelAssertionError,
    LaunchError,
    OutOfResourcesError,
    TuningError,
)

Timing = list[float]
Bench = Callable[..., Any]

QUANTILES = (0.5, 0.2, 0.8)
"""The quantiles that are measured for each configuration. The median, which is first, decides."""

_HOPELESS = 4.0
"""A configuration whose first calls are slower than the best by this factor is not measured further."""


class Hooks:
    """Hooks around each timed launch that zero tensors or restore their values."""

    def __init__(self, reset: Sequence[str], restore: Sequence[str]) -> None:
        self.reset = reset
        self.restore = restore
        self._saved: dict[str, Any] = {}

    def before(self, arguments: Mapping[str, Any], reset_only: bool = False) -> None:
        for name in self.reset:
            _assign(arguments.get(name), None)
        if not reset_only:
            self._saved = {name: _copy(arguments.get(name)) for name in self.restore}

    def after(self, arguments: Mapping[str, Any], exception: BaseException | None = None) -> None:
        del exception
        for name, saved in self._saved.items():
            _assign(arguments.get(name), saved)
        self._saved = {}


def _copy(tensor: Any) -> Any:
    """Returns a copy of a tensor, or of a tuple of tensors such as ``*args``."""
    if isinstance(tensor, tuple):
        return tuple(map(_copy, tensor))
    if tensor is None:
        return None
    return tensor.detach().clone() if hasattr(tensor, "clone") else tensor.copy()


def _assign(tensor: Any, values: Any) -> None:
    """Assigns values, or zeros for None. Torch tensors are written through ``detach``, as autograd forbids it."""
    if isinstance(tensor, tuple):
        for at, each in enumerate(tensor):
            _assign(each, None if values is None else values[at])
        return
    if tensor is None:
        return
    if not hasattr(tensor, "copy_"):
        tensor[...] = 0 if values is None else values
    elif values is None:
        tensor.detach().zero_()
    else:
        tensor.detach().copy_(values)


@dataclass
class Search:
    """One search.

    Attributes:
        name: The kernel's name.
        fn: The kernel or layer to launch.
        grid: The grid of the launch.
        args: Its positional arguments.
        kwargs: Its keyword arguments, without those of a configuration.
        named: All arguments by name.
        before: Called with all arguments before each timed launch.
        after: Called with all arguments after each timed launch.
        bench: Measures a call in milliseconds: ``bench(call, quantiles=...)``.
        is_cpu: The tensors are in CPU memory.
        may_skip: Much slower configurations need not be measured in full.
        timings: Quantiles of the time of each configuration; infinite if it failed.
        failures: The errors of failed configurations.
    """

    name: str
    fn: Any
    grid: object
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    named: Mapping[str, Any]
    before: Callable[..., object]
    after: Callable[..., object]
    bench: Bench
    is_cpu: bool
    may_skip: bool
    timings: dict[Config, Timing] = field(default_factory=dict)
    failures: dict[Config, BaseException] = field(default_factory=dict)

    def best(self, configs: Sequence[Config]) -> Config:
        """Returns the fastest configuration. Raises the first error if all fail."""
        for config in self._distinct(configs):
            self.timings[config] = self.time(config)
        fastest = min(self.timings, key=self.timings.__getitem__)
        if self.timings[fastest][0] == math.inf:
            self._raise_all(len(configs))
        self.before(self._arguments(fastest), reset_only=True)
        return fastest

    def _distinct(self, configs: Sequence[Config]) -> list[Config]:
        """Removes configurations that run the same code as an earlier one: a CPU ignores warps and stages."""
        result: list[Config] = []
        identities: list[object] = []
        for config in configs:
            given = config.all_kwargs()
            effective = expanded(self.fn, self.args, {**self.kwargs, **given}) if self.is_cpu else None
            identity = (given if effective is None else effective, config.pre_hook)
            if identity not in identities:
                identities.append(identity)
                result.append(config)
        return result

    def _arguments(self, config: Config) -> dict[str, Any]:
        return {**self.named, **config.all_kwargs()}

    def time(self, config: Config) -> Timing:
        """Returns quantiles of a configuration's time; infinite if it fails for a reason other than the arguments."""
        call = self._caller(config)
        try:
            if self.may_skip and self.is_cpu and (impression := self._time_if_hopeless(call)) is not None:
                return impression
            measured = self.bench(call, quantiles=QUANTILES)
        except (BlockdslError, MemoryError) as error:
            of_arguments = isinstance(error, (LaunchError, KernelAssertionError, TuningError))
            if of_arguments and not isinstance(error, OutOfResourcesError):
                raise
            self.failures[config] = error
            if isinstance(error, CompilationError):
                warnings.warn(f"autotune leaves out {config}: {error}", RuntimeWarning, stacklevel=2)
            return [math.inf] * len(QUANTILES)
        return list(measured) if isinstance(measured, Sequence) else [float(measured)] * len(QUANTILES)

    def _time_if_hopeless(self, call: Callable[[], object]) -> Timing | None:
        """Returns the shortest time of three calls if it is much slower than the best; else None."""
        best = min((timing[0] for timing in self.timings.values()), default=math.inf)
        call()
        shortest = math.inf
        for _ in range(3):
            start = time.perf_counter_ns()
            call()
            shortest = min(shortest, (time.perf_counter_ns() - start) / 1e6)
            if shortest <= _HOPELESS * best:
                return None
        return [shortest] * len(QUANTILES)

    def _caller(self, config: Config) -> Callable[[], object]:
        """Returns a function that launches with a configuration, including hooks."""
        chosen, arguments = config.all_kwargs(), self._arguments(config)

        def call() -> None:
            if config.pre_hook is not None:
                config.pre_hook(arguments)
            self.before(arguments)
            try:
                self.fn[self.grid](*self.args, **self.kwargs, **chosen)
            except BaseException as error:
                self.after(arguments, exception=error)
                raise
            self.after(arguments, exception=None)

        return call

    def _raise_all(self, count: int) -> None:
        """Raises the first failure, with a note that lists all."""
        causes = [f"{config}: {type(error).__name__}: {str(error).splitlines()[0]}"
                  for config, error in self.failures.items()]  # fmt: skip
        note = "\n    ".join([f"all {count} configurations of kernel '{self.name}' failed:", *causes])
        first = next(iter(self.failures.values()))
        if isinstance(first, BlockdslError):
            first.notes += (note,)
        elif hasattr(first, "add_note"):
            first.add_note(note)
        raise first
