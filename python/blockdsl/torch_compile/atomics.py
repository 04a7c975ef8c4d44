"""Atomic additions in Inductor's kernels.

``index_add``, ``scatter_add`` and the gradient of an embedding are lowered to them. No other thread may change a
tensor while a function of torch uses it, so additions must be atomic among the programs of one launch only, and plain
on one thread. Inductor's kernels call the function here, and the back end detects its name.
"""

# mypy: ignore-errors

from __future__ import annotations

import functools

import torch
import triton
import triton.language as tl

_TRITONS = "tl.atomic_add("
_OURS = "atomics.add("
_IMPORT = "from blockdsl.torch_compile import atomics\n"

NARROW = (torch.uint8, torch.int8, torch.int16)
"""Types of elements for which Triton has no atomic addition."""


@functools.cache
def install() -> None:
    """Makes Inductor call torch's operator for additions to elements of these types, as it does for int64."""
    from torch._inductor import config, decomposition, lowering

    has_none = lowering.needs_fallback_due_to_atomic_add_limitations

    @functools.wraps(has_none)
    def has_none_here(dtype: torch.dtype) -> bool:
        return (config.cpu_backend == "triton" and dtype in NARROW) or has_none(dtype)

    for module in (lowering, decomposition):
        module.needs_fallback_due_to_atomic_add_limitations = has_none_here


def redirected(code: str) -> str:
    """Returns the text of a kernel, with atomic additions replaced by calls of ``add``."""
    return _IMPORT + code.replace(_TRITONS, _OURS) if _TRITONS in code else code


@triton.jit
def add(pointer, value, mask, sem: tl.constexpr):
    """Adds to memory. The old value is not returned."""
    tl.atomic_add(pointer, value, mask, sem=sem)
