"""Compilation errors under the names of Triton's module."""

from blockdsl.errors import BlockdslError as TritonError
from blockdsl.errors import CompileTimeAssertionError as CompileTimeAssertionFailure
from blockdsl.errors import KernelError as CompilationError
from blockdsl.errors import KernelSyntaxError as UnsupportedLanguageConstruct

__all__ = ["CompilationError", "CompileTimeAssertionFailure", "TritonError", "UnsupportedLanguageConstruct"]
