"""Tensors without dimensions as arguments of Inductor's kernels for the CPU.

Inductor passes one that is an input of a graph as a number, since a GPU cannot read it. A buffer whose memory holds a
result of the kernel, too, is passed by its address, but the text uses the number all the same and does not compile. A
kernel on the CPU reads the tensor.
"""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def install() -> None:
    """Passes all tensors by their addresses where Inductor writes Triton code for the CPU."""
    from torch._inductor import config
    from torch._inductor.codegen import triton, triton_utils, wrapper
    from torch._inductor.virtualized import V

    is_number: Any = triton_utils.should_unwrap_unspec_arg

    @functools.wraps(is_number)
    def is_number_elsewhere(name: str) -> bool:
        is_ours = config.cpu_backend == "triton" and V.graph.get_current_device_or_throw().type == "cpu"
        return not is_ours and bool(is_number(name))

    modules: tuple[Any, ...] = (triton, triton_utils, wrapper)
    for module in modules:
        module.should_unwrap_unspec_arg = is_number_elsewhere
