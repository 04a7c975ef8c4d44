"""Grids in the C++ launch code that AOTInductor writes for a kernel of Triton's on a CPU.

torch 2.13 passes the first three numbers after the kernel's arguments as the grid. They are the grid only if the graph
has computed it: for an autotuned kernel they are operands of its configuration's grid, and kernels of Inductor's own
have none. For a GPU torch writes code that computes the grid; the patch here makes it do so for the CPU.
"""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def install() -> None:
    """Has grids be computed from now on, in a torch that packages kernels for a CPU."""
    from torch._inductor.codegen import cpp_wrapper_cpu
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner, GridExpr

    wrapper: Any = getattr(cpp_wrapper_cpu, "DeferredCpuTritonCallWrapper", None)
    if wrapper is None:
        return
    from torch._inductor.codecache import CpuTritonKernelCache

    tuner: Any = CachingAutotuner
    save, resolve, launch = tuner.save_cpu_kernel, wrapper._resolve_arg_names, wrapper._generate_launch

    @functools.wraps(save)
    def saved(self: Any, launcher: Any) -> None:
        save(self, launcher)
        CpuTritonKernelCache.cache[self.inductor_meta["kernel_name"]]["config"] = launcher.config

    def config(self: Any) -> Any:
        return CpuTritonKernelCache.cache[self.kernel_name]["config"]

    @functools.wraps(resolve)
    def resolved(self: Any) -> Any:
        passed, taken, grid = resolve(self)
        # A configuration's values are constants, which a graph does not pass, whoever has declared them.
        return [name for name in passed if name not in config(self).kwargs], taken, grid

    @functools.wraps(launch)
    def launched(self: Any, prefix: Any, taken: Any, grid: Any, signature: Any) -> None:
        computed = GridExpr.from_meta(self.inductor_meta, config(self), mode="cpp")
        for line in computed.prefix:
            prefix.writeline(line)
        launch(self, prefix, taken, [computed.x_grid, computed.y_grid, computed.z_grid], signature)

    tuner.save_cpu_kernel, wrapper._resolve_arg_names, wrapper._generate_launch = saved, resolved, launched
