"""Worker of compiler/subprocess_compiler.py with kernels that crash LLVM.

A kernel called 'broken' is replaced by IR on which LLVM asserts, 'beyond' by IR for which it exits, and 'refused' by
invalid text.
"""

from __future__ import annotations

from pathlib import Path

from blockdsl.backends import cpu
from blockdsl.compiler.subprocess_compiler import answer, prepare

__all__ = ["answer", "prepare"]

emit_object = cpu.emit_object


def emit_broken(llvm_ir: str, target: cpu.CPU) -> bytes:
    if "@broken(" in llvm_ir:
        llvm_ir = (Path(__file__).parent / "data" / "asserts.ll").read_text()
    if "@beyond(" in llvm_ir:
        llvm_ir = (Path(__file__).parent / "data" / "exits.ll").read_text()
    if "@refused(" in llvm_ir:
        llvm_ir = "nonsense"
    return emit_object(llvm_ir, target)


cpu.emit_object = emit_broken
