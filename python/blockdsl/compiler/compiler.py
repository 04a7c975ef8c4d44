"""Compiled kernels, under the names of Triton's module."""

from blockdsl.compiler.compiled import CompiledKernel
from blockdsl.compiler.hooks import LazyDict
from blockdsl.compiler.source import ASTSource

__all__ = ["ASTSource", "CompiledKernel", "LazyDict"]
