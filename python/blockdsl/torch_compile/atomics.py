"""Atomic additions in the kernels that Inductor writes.

They are what ``index_add``, ``scatter_add`` and the gradient of an embedding become. No function of torch may run while
another thread changes its tensors, so additions have to be atomic among the programs of one launch only, and a launch
on one thread needs no lock. Inductor's text calls the function here, by whose name the back end knows such a kernel.
"""

# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl

_TRITONS = "tl.atomic_add("
_OURS = "atomics.add("
_IMPORT = "from blockdsl.torch_compile import atomics\n"


def redirected(code: str) -> str:
    """The text of a kernel, with the function here if it adds to memory."""
    return _IMPORT + code.replace(_TRITONS, _OURS) if _TRITONS in code else code


@triton.jit
def add(pointer, value, mask, sem: tl.constexpr):
    """Adds to memory. The sum that was there is not returned."""
    tl.atomic_add(pointer, value, mask, sem=sem)
