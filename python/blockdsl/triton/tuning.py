"""Triton's autotuner on the CPU: configurations that are one code here are timed once.

Warps and stages, and whatever else is told to a GPU's compiler, change nothing of a program on a CPU. Of configurations
that differ in them alone the first is left, as our own autotuner leaves it.

A tuner that is told to use CUDA graphs times launches.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any


def distinct(configs: Sequence[Any]) -> list[Any]:
    """The configurations whose kernels' parameters or hooks differ, in their order."""
    left: list[Any] = []
    for config in configs:
        if not any(config.kwargs == other.kwargs and config.pre_hook == other.pre_hook for other in left):
            left.append(config)
    return left


def _tells_all(tuner: Any) -> bool:
    """Whether the parameters of a configuration are all that the kernel sees of it: it has none that is called as an
    option is, and no rule, which may read one, computes others."""
    from triton.runtime import JITFunction

    options = {"num_warps", "num_stages", "num_ctas", "maxnreg"}
    return isinstance(tuner.fn, JITFunction) and options.isdisjoint(tuner.arg_names)


@functools.cache
def install() -> None:
    """Leaves them out after whatever a program prunes by, and times without CUDA graphs."""
    from triton.runtime import Autotuner, driver

    def is_cpu() -> bool:
        return bool(driver.active.get_current_target().backend == "cpu")

    prune, bench = Autotuner.prune_configs, Autotuner._bench

    @functools.wraps(prune)
    def pruned(self: Any, *args: Any, **kwargs: Any) -> Any:
        configs = prune(self, *args, **kwargs)
        return distinct(configs) if is_cpu() and _tells_all(self) else configs

    @functools.wraps(bench)
    def benched(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not (getattr(self, "use_cuda_graph", False) and is_cpu()):
            return bench(self, *args, **kwargs)
        # A tuner's own, which may be asked for a GPU next.
        before = self.do_bench
        self.do_bench = driver.active.get_benchmarker()
        try:
            return bench(self, *args, **kwargs)
        finally:
            self.do_bench = before

    Autotuner.prune_configs, Autotuner._bench = pruned, benched
