"""Grids in the C++ launch code that AOTInductor emits for Triton kernels on a CPU.

torch 2.13 passes the first three numbers after the kernel's arguments as the grid. This is correct only if the graph
has computed the grid: for an autotuned kernel they are operands of its configuration's grid, and Inductor's own kernels
have none. For a GPU torch emits code that computes the grid; the patch here does the same for the CPU.
"""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def install() -> None:
    """Installs the patch, in versions of torch that package kernels for a CPU."""
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
        passed, used, grid = resolve(self)
        # A configuration's values are constants, which a graph does not pass even if they are not declared so.
        return [name for name in passed if name not in config(self).kwargs], used, grid

    @functools.wraps(launch)
    def launched(self: Any, prefix: Any, used: Any, grid: Any, signature: Any) -> None:
        computed = GridExpr.from_meta(self.inductor_meta, config(self), mode="cpp")
        for line in computed.prefix:
            prefix.writeline(line)
        launch(self, prefix, used, [computed.x_grid, computed.y_grid, computed.z_grid], signature)

    tuner.save_cpu_kernel, wrapper._resolve_arg_names, wrapper._generate_launch = saved, resolved, launched
