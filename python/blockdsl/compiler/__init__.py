"""From a kernel and its types to machine code: stages, options, targets and the disk cache."""

from blockdsl.compiler.compiled import CompiledKernel
from blockdsl.compiler.errors import CompilationError
from blockdsl.compiler.hooks import LazyDict
from blockdsl.compiler.source import ASTSource

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "LazyDict"]
