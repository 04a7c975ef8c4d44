"""Triton's autotuner on the CPU: configurations with equal code are timed once.

Warps, stages and other options of a GPU's compiler do not change the code for a CPU. Of configurations that differ in
these only, the first is kept, as in our own autotuner.

A tuner with CUDA graphs times plain launches.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any


def distinct(configs: Sequence[Any]) -> list[Any]:
    """Returns the configurations with different parameters or hooks, in their order."""
    left: list[Any] = []
    for config in configs:
        if not any(config.kwargs == other.kwargs and config.pre_hook == other.pre_hook for other in left):
            left.append(config)
    return left


def _is_determined_by_parameters(tuner: Any) -> bool:
    """Returns whether a configuration affects the kernel only through its parameters: no parameter has the name of an
    option, and no heuristic, which may read options, computes parameters."""
    from triton.runtime import JITFunction

    options = {"num_warps", "num_stages", "num_ctas", "maxnreg"}
    return isinstance(tuner.fn, JITFunction) and options.isdisjoint(tuner.arg_names)


@functools.cache
def install() -> None:
    """Patches Triton's tuner to drop duplicates after the program's pruning, and to time without CUDA graphs."""
    from triton.runtime import Autotuner, driver

    def is_cpu() -> bool:
        return bool(driver.active.get_current_target().backend == "cpu")

    prune, bench = Autotuner.prune_configs, Autotuner._bench

    @functools.wraps(prune)
    def pruned(self: Any, *args: Any, **kwargs: Any) -> Any:
        configs = prune(self, *args, **kwargs)
        return distinct(configs) if is_cpu() and _is_determined_by_parameters(self) else configs

    @functools.wraps(bench)
    def benched(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not (getattr(self, "use_cuda_graph", False) and is_cpu()):
            return bench(self, *args, **kwargs)
        # Restored, because the tuner may be used for a GPU next.
        before = self.do_bench
        self.do_bench = driver.active.get_benchmarker()
        try:
            return bench(self, *args, **kwargs)
        finally:
            self.do_bench = before

    Autotuner.prune_configs, Autotuner._bench = pruned, benched
