"""Compilation under the names of Triton's module; the package exports the same names."""

from blockdsl.compiler.ahead import compile  # noqa: A004 - Triton's spelling
from blockdsl.compiler.backend import get_cache_key, make_backend, max_shared_mem
from blockdsl.compiler.compiled_kernel import CompiledKernel
from blockdsl.compiler.errors import CompilationError
from blockdsl.compiler.lazy import LazyDict
from blockdsl.compiler.source import ASTSource, IRSource

__all__ = [
    "ASTSource",
    "CompilationError",
    "CompiledKernel",
    "IRSource",
    "LazyDict",
    "compile",
    "get_cache_key",
    "make_backend",
    "max_shared_mem",
]
