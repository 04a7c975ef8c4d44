"""blockdsl: GPU-style block kernels in Python, compiled to fast machine code.

    import blockdsl
    import blockdsl.language as tl

All public names are imported here; ``docs/`` and ``ARCHITECTURE.md`` describe the modules behind them.
"""

from blockdsl import backends, compiler, errors, knobs, language, runtime, testing, tools, torch_compile, triton
from blockdsl.autotuner import Config, autotune, heuristics
from blockdsl.compiler.ahead import compile  # noqa: A004 - Triton's spelling
from blockdsl.compiler.asynchronous import AsyncCompileMode, FutureKernel
from blockdsl.compiler.compiled_kernel import CompiledKernel
from blockdsl.compiler.errors import CompilationError
from blockdsl.jit import JITFunction, jit
from blockdsl.language import constexpr, constexpr_function, next_power_of_2
from blockdsl.language.aggregate import aggregate
from blockdsl.launcher.mock_tensors import MockTensor
from blockdsl.runtime.errors import InterpreterError, OutOfResources, TritonError
from blockdsl.runtime.interface import KernelInterface
from blockdsl.runtime.marks import cdiv, must_use_result
from blockdsl.runtime.wrapper import TensorWrapper, reinterpret
from blockdsl.tools.allocation import set_allocator

__version__ = "3.9.0+blockdsl.0.1.0"
"""The Triton version whose language is implemented, which programs compare, followed by blockdsl's own version."""

__all__ = [
    "AsyncCompileMode",
    "CompilationError",
    "CompiledKernel",
    "Config",
    "FutureKernel",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "TensorWrapper",
    "TritonError",
    "aggregate",
    "autotune",
    "backends",
    "cdiv",
    "compile",
    "compiler",
    "constexpr",
    "constexpr_function",
    "errors",
    "heuristics",
    "jit",
    "knobs",
    "language",
    "must_use_result",
    "next_power_of_2",
    "reinterpret",
    "runtime",
    "set_allocator",
    "testing",
    "tools",
    "torch_compile",
    "triton",
]
