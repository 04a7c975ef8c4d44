"""blockdsl: GPU-style block kernels in Python, compiled to fast machine code.

    import blockdsl
    import blockdsl.language as tl

The names here are the public ones; ``docs/`` and ``ARCHITECTURE.md`` say where each lives.
"""

from blockdsl import errors, knobs, language, testing
from blockdsl.ahead import compile  # noqa: A004 - Triton's spelling
from blockdsl.autotuner import Config, autotune, heuristics
from blockdsl.compiler.compiled import CompiledKernel
from blockdsl.compiler.stand_ins import MockTensor
from blockdsl.jit import JITFunction, jit
from blockdsl.language import cdiv, constexpr, next_power_of_2
from blockdsl.tools.allocation import set_allocator

__version__ = "0.1.0"

__all__ = [
    "CompiledKernel",
    "Config",
    "JITFunction",
    "MockTensor",
    "autotune",
    "cdiv",
    "compile",
    "constexpr",
    "errors",
    "heuristics",
    "jit",
    "knobs",
    "language",
    "next_power_of_2",
    "set_allocator",
    "testing",
]
