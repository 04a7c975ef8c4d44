"""Atomic additions in Inductor's kernels.

``index_add``, ``scatter_add`` and the gradient of an embedding are lowered to them. No other thread may change a
tensor while a function of torch uses it, so additions must be atomic among the programs of one launch only, and plain
on one thread. Inductor's kernels call the function here, and the back end detects its name.
"""

# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl

_TRITONS = "tl.atomic_add("
_OURS = "atomics.add("
_IMPORT = "from blockdsl.torch_compile import atomics\n"


def redirected(code: str) -> str:
    """Returns the text of a kernel, with atomic additions replaced by calls of ``add``."""
    return _IMPORT + code.replace(_TRITONS, _OURS) if _TRITONS in code else code


@triton.jit
def add(pointer, value, mask, sem: tl.constexpr):
    """Adds to memory. The old value is not returned."""
    tl.atomic_add(pointer, value, mask, sem=sem)
