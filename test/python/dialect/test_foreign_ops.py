"""Texts with ops that no kernel on a CPU has are refused at their line, and none ends the process."""

from __future__ import annotations

from pathlib import Path

import pytest

import blockdsl
from blockdsl.errors import CompilationError

BODIES = {
    'llvm.inline_asm has_side_effects "syscall", "{rax},~{memory}" %n : (i64) -> ()':
        "'llvm.inline_asm' op has no form on the CPU",
    'llvm.call_intrinsic "llvm.x86.rdtsc"() : () -> i64': "'llvm.call_intrinsic' op has no form on the CPU",
    'llvm.call_intrinsic "llvm.nvvm.barrier0"() : () -> ()': "'llvm.call_intrinsic' op has no form on the CPU",
    '"llvm.intr.trap"() : () -> ()': "'llvm.intr.trap' op has no form on the CPU",
    "%q = llvm.inttoptr %n : i64 to !llvm.ptr": "'llvm.inttoptr' op has no form on the CPU",
    "llvm.fence acq_rel": "'llvm.fence' op has no form on the CPU",
    'cf.assert %c, "no"': "'assert' has no form on the CPU",
    "%m = memref.alloc() : memref<4xf32>": "'memref.alloc' op has no form on the CPU",
    "%v = vector.broadcast %n : i64 to vector<4xi64>": "'vector.broadcast' op has no form on the CPU",
    "%t = gpu.thread_id x": "'gpu.thread_id' op has no form on the CPU",
    "%e = tensor.empty() : tensor<4xf32>": "'tensor.empty' op has no form on the CPU",
    "func.call @exit(%n) : (i64) -> ()": "'func.call' op calls 'exit', whose body the module does not have",
    "tt.call @leave(%n) : (i64) -> ()": "'call' calls 'leave', whose body the module does not have",
    "llvm.call @quit(%n) : (i64) -> ()": "'llvm.func' op has no form on the CPU",
}  # fmt: skip
DECLARED = {
    "@exit": "func.func private @exit(i64)", "@leave": "tt.func private @leave(i64)", "@quit": "llvm.func @quit(i64)",
}  # fmt: skip
TEXT = """module {
DECLARATION
  tt.func public @kernel(%p: !tt.ptr<i64>) {
    %n = llvm.mlir.constant(60 : i64) : i64
    %c = arith.constant true
    BODY
    tt.store %p, %n : !tt.ptr<i64>
    tt.return
  }
}
"""


@pytest.mark.parametrize("body", BODIES)
def test_foreign_ops_are_refused_at_their_line(tmp_path: Path, body: str) -> None:
    declaration = next((text for name, text in DECLARED.items() if name + "(" in body), "")
    file = tmp_path / "kernel.ttir"
    file.write_text(TEXT.replace("DECLARATION", declaration).replace("BODY", body))
    with pytest.raises(CompilationError) as got:
        blockdsl.compile(str(file))
    assert BODIES[body] in str(got.value)
    line = 2 if "@quit" in body else 6
    assert f"kernel.ttir:{line}:" in str(got.value)


@pytest.mark.parametrize("attribute", ['llvm.module_asm = [".globl f"]', 'llvm.data_layout = "e-p:16:16"'])
def test_attributes_of_modules_are_refused(tmp_path: Path, attribute: str) -> None:
    file = tmp_path / "kernel.ttir"
    text = TEXT.replace("DECLARATION", "").replace("BODY", "")
    file.write_text(text.replace("module {", f"module attributes {{{attribute}}} {{", 1))
    with pytest.raises(CompilationError, match=r"has attribute 'llvm\.\w+', which has no form on the CPU"):
        blockdsl.compile(str(file))
