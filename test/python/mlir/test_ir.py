"""Tests of the bindings: parsing, printing, pass managers, and diagnostics, which are raised as exceptions."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import blockdsl
from blockdsl._native import IRBuilder
from blockdsl.errors import CompilationError, KernelSyntaxError, TypeMismatchError
from blockdsl.mlir import ir, print_tt
from blockdsl.mlir.diagnostics import error_of
from blockdsl.mlir.passmanager import PassManager
from blockdsl.mlir.translate import to_llvm_ir

KERNEL = """module attributes {a.number = 7 : i64, a.text = "seven", a.flag = true} {
  tt.func public @kernel(%x: !tt.ptr<f32>) attributes {noinline = false} {
    %0 = tt.load %x cacheModifier = cg : !tt.ptr<f32>
    tt.store %x, %0 : !tt.ptr<f32>
    tt.return
  }
}
"""

BAD = """
from blockdsl.mlir import ir
try:
    ir.Module.parse("tt.func @f() { oops }", ir.Context())
except Exception as error:
    print(type(error).__name__)
"""


def parse(text: str) -> ir.Module:
    return ir.Module.parse(text, ir.Context(), "kernel.ttir")


def test_a_module_keeps_its_context_alive() -> None:
    module = parse(KERNEL)
    assert "tt.load" in str(module)
    assert module.operation.verify()
    assert [op.name for op in module.operation.operations] == ["tt.func"]


def test_attributes_have_python_values() -> None:
    attributes = parse(KERNEL).operation.attributes
    assert {name: attribute.value for name, attribute in attributes.items()} == {
        "a.number": 7, "a.text": "seven", "a.flag": True,
    }  # fmt: skip
    assert str(attributes["a.number"]) == "7 : i64"


def test_a_clone_is_independent() -> None:
    module = parse(KERNEL)
    clone = module.clone()
    PassManager.parse("builtin.module(blockdsl-to-linalg)", ir.Context())
    assert str(clone) == str(module)


def test_syntax_error_has_a_location() -> None:
    with pytest.raises(KernelSyntaxError) as caught:
        parse(KERNEL.replace("tt.load %x", "tt.load %y"))
    assert caught.value.location is not None
    assert (caught.value.location.file, caught.value.location.line) == ("kernel.ttir", 3)
    assert "undeclared SSA value name" in caught.value.message


def test_verifier_error_uses_the_public_op_name() -> None:
    text = """tt.func @f(%a: tensor<16x8xf32>, %b: tensor<16x4xf32>, %c: tensor<16x4xf32>) {
      %d = tt.dot %a, %b, %c : tensor<16x8xf32> * tensor<16x4xf32> -> tensor<16x4xf32>
      tt.return
    }"""
    with pytest.raises((KernelSyntaxError, TypeMismatchError), match="'dot' expects lhs columns") as caught:
        parse(text)
    assert caught.value.location is not None
    assert caught.value.location.line == 2


def test_diagnostics_are_not_printed_to_stderr() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(blockdsl.__file__).parents[1])}
    found = subprocess.run([sys.executable, "-c", BAD], text=True, capture_output=True, check=True, env=environment)
    assert (found.stdout, found.stderr) == ("KernelSyntaxError\n", "")


def test_an_unknown_pass_is_refused() -> None:
    with pytest.raises(ValueError, match="a pass pipeline is expected"):
        PassManager.parse("builtin.module(no-such-pass)", ir.Context())


def test_a_failing_pass_is_a_compilation_error() -> None:
    module = parse("module { llvm.func @f() { llvm.unreachable } func.func private @g() }")
    with pytest.raises(CompilationError, match=r"func\.func"):
        to_llvm_ir(module)


def test_refuses_to_translate_foreign_types() -> None:
    text = """llvm.func @f(%p: !llvm.ptr) {
      %0 = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, tensor<3xf32>
      llvm.return
    }"""
    with pytest.raises(CompilationError, match="expects a type of LLVM's for 'elem_type', got tensor<3xf32>"):
        to_llvm_ir(parse(text))


def test_module_is_verified_after_passes() -> None:
    context = ir.Context()
    builder = IRBuilder(context)
    module = builder.create_module()
    builder.set_insertion_point_to_module(module)
    builder.create("tt.return", [], [], [], [], [])
    with pytest.raises(CompilationError, match=r"'return' expects parent op 'tt\.func'"):
        PassManager.parse("builtin.module(cse)", context).run(module.operation)


def test_text_is_verified_after_each_pass() -> None:
    context = ir.Context()
    text = """func.func @f(%x: tensor<4xf32>) -> tensor<4xbf16> {
      %0 = arith.truncf %x : tensor<4xf32> to tensor<4xbf16>
      return %0 : tensor<4xbf16>
    }"""
    module = ir.Module.parse(text, context)
    with pytest.raises(CompilationError, match="'truncf' result #0 must be floating-point-like"):
        PassManager.parse("builtin.module(floats-to-integer-storage,convert-to-llvm)", context).run(module.operation)


def test_pipelines_and_translation() -> None:
    context = ir.Context()
    module = ir.Module.parse(KERNEL, context)
    PassManager.parse("builtin.module(blockdsl-cpu{vector-bits=256})", context).run(module.operation)
    assert "define void @kernel(ptr" in to_llvm_ir(module)


@pytest.mark.parametrize(
    ("version", "hint"), [("3.6", "cacheModifier = cg"), ("3.9", "#tt.cache_policy<cache_modifier = cg")]
)
def test_text_for_a_version_of_triton(version: str, hint: str) -> None:
    assert hint in print_tt(parse(KERNEL), version)


def test_unknown_versions_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a version from 3\.6 to 3\.9 is expected, got '2\.0'"):
        print_tt(parse(KERNEL), "2.0")


def test_hint_has_remaining_diagnostics() -> None:
    diagnostics = [("warning", "aside"), ("error", "'tt.dot' op is wrong"), ("note", "see current operation: ..."),
            ("error", "'tt.dot' op is wrong"), ("note", "first"), ("note", "first"), ("error", "'tt.load' op too"),
            ("note", "third")]  # fmt: skip
    error = error_of("run", [(severity, message, "", 0, 0, 0, "", ()) for severity, message in diagnostics])
    assert (error.message, error.hint) == ("'dot' is wrong", "first; 'load' too")
    assert error_of("run", [("error", "alone", "", 0, 0, 0, "", ())]).hint is None


def test_contexts_in_several_threads() -> None:
    texts: list[str] = []

    def work() -> None:
        for _ in range(10):
            context = ir.Context()
            module = ir.Module.parse(KERNEL, context)
            PassManager.parse("builtin.module(blockdsl-to-linalg)", context).run(module.operation)
            texts.append(str(module))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 40
    assert len(set(texts)) == 1


def test_an_attribute_of_another_kind_is_refused() -> None:
    from blockdsl._native import IRBuilder

    context = ir.Context()
    builder = IRBuilder(context)
    builder.set_location("-", 0, 0, 0, "")
    builder.set_insertion_point_to_module(builder.create_module())
    with pytest.raises(TypeMismatchError, match=r"invalid attributes of tt\.make_range: Invalid attribute `start`"):
        builder.create("tt.make_range", [], [("start", '"text"'), ("end", "4 : i32")], None, [], [])
