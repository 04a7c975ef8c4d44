"""Kernels, under the names of Triton's module."""

from blockdsl.compiler.compile_hooks import JitFunctionInfo
from blockdsl.compiler.kernel_info import KernelInfo as JITCallable
from blockdsl.compiler.kernel_info import KernelParam
from blockdsl.jit import JITFunction, jit
from blockdsl.language.constexpr import constexpr_function
from blockdsl.launcher.mock_tensors import MockTensor
from blockdsl.runtime.interface import KernelInterface
from blockdsl.runtime.wrapper import TensorWrapper, reinterpret

__all__ = [
    "JITCallable",
    "JITFunction",
    "JitFunctionInfo",
    "KernelInterface",
    "KernelParam",
    "MockTensor",
    "TensorWrapper",
    "constexpr_function",
    "jit",
    "reinterpret",
]
