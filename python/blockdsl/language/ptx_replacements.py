"""Replacements of unsupported PTX instructions and special registers by functions of the language, for hints.

The CPU's compiler has the same table (`tt-read-assembly`).
"""

from __future__ import annotations

import re

_TABLE = [
    (r"ld\..*(acquire|relaxed).*", "tl.atomic_load, or tl.atomic_add of 0"),
    (r"(ld|ldu|ldmatrix|cp)\..*", "tl.load"),
    (r"st\..*(release|relaxed).*", "tl.atomic_store, or tl.atomic_xchg"),
    (r"(st|stmatrix)\..*", "tl.store"),
    *((rf"(atom|red)(\..*)?\.{name}(\..*)?", f"tl.atomic_{name}")
      for name in ("add", "and", "or", "xor", "min", "max")),
    (r"atom(\..*)?\.exch(\..*)?", "tl.atomic_xchg"),
    (r"(atom|red)\..*", "tl.atomic_cas"),
    (r"(mma|wmma|wgmma|tcgen05)\..*", "tl.dot"),
    (r"(shfl|vote|match|redux|activemask|elect)(\..*)?|(bar|barrier)(\.cta)?\.red\..*",
     "tl.reduce, tl.associative_scan and tl.gather"),
    (r"%(tid|ntid|laneid|warpid|nwarpid|lanemask_).*", "tl.arange"),
]  # fmt: skip


def hint(name: str) -> str:
    """Returns a hint for an unsupported opcode or register."""
    functions = next((functions for pattern, functions in _TABLE if re.fullmatch(pattern, name)), None)
    return f"the functions of the language run everywhere{f': {functions}' if functions else ''}"
