"""Translation of the LLVM dialect to LLVM IR."""

from .._native import to_llvm_ir as to_llvm_ir
