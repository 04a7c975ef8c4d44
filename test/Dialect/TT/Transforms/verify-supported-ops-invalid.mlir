// RUN: blockdsl-opt %s -split-input-file -tt-verify-supported-ops -verify-diagnostics

tt.func public @inline_assembly(%p: !tt.ptr<i32>) {
  // expected-error @below {{'llvm.inline_asm' op has no form on the CPU}}
  llvm.inline_asm has_side_effects "syscall", "~{memory}" : () -> ()
  tt.return
}

// -----

tt.func public @intrinsic_of_a_machine(%p: !tt.ptr<i32>) {
  // expected-error @below {{'llvm.call_intrinsic' op has no form on the CPU}}
  llvm.call_intrinsic "llvm.x86.rdtsc"() : () -> i64
  tt.return
}

// -----

tt.func public @trap(%p: !tt.ptr<i32>) {
  // expected-error @below {{'llvm.intr.trap' op has no form on the CPU}}
  llvm.intr.trap
  tt.return
}

// -----

module {
  // expected-error @below {{'llvm.func' op has no form on the CPU}}
  llvm.func @exit(i32)
  tt.func public @foreign_function() {
    %0 = arith.constant 1 : i32
    llvm.call @exit(%0) : (i32) -> ()
    tt.return
  }
}

// -----

module {
  func.func private @exit(i32)
  tt.func public @declared_function() {
    %0 = arith.constant 1 : i32
    // expected-error @below {{'func.call' op calls 'exit', whose body the module does not have}}
    // expected-note @below {{kernels on the CPU call no foreign functions}}
    func.call @exit(%0) : (i32) -> ()
    tt.return
  }
}

// -----

module {
  tt.func private @exit(i32)
  tt.func public @declared_function_of_the_language() {
    %0 = arith.constant 1 : i32
    // expected-error @below {{'tt.call' op calls 'exit', whose body the module does not have}}
    // expected-note @below {{kernels on the CPU call no foreign functions}}
    tt.call @exit(%0) : (i32) -> ()
    tt.return
  }
}

// -----

module {
  // expected-error @below {{'llvm.mlir.global' op has no form on the CPU}}
  llvm.mlir.global internal constant @table(5 : i32) : i32
}

// -----

// expected-error @below {{'builtin.module' op has attribute 'llvm.module_asm', which has no form on the CPU}}
module attributes {llvm.module_asm = [".globl f"]} {
}

// -----

module {
  // expected-error @below {{'builtin.module' op has attribute 'llvm.data_layout', which has no form on the CPU}}
  module attributes {llvm.data_layout = "e-p:16:16"} {
  }
}

// -----

tt.func public @assertion_of_a_branch(%c: i1) {
  // expected-error @below {{'cf.assert' op has no form on the CPU}}
  cf.assert %c, "no"
  tt.return
}

// -----

tt.func public @buffer(%p: !tt.ptr<i32>) {
  // expected-error @below {{'memref.alloca' op has no form on the CPU}}
  %0 = memref.alloca() : memref<4xf32>
  tt.return
}

// -----

tt.func public @vector(%x: f32) {
  // expected-error @below {{'vector.broadcast' op has no form on the CPU}}
  %0 = vector.broadcast %x : f32 to vector<4xf32>
  tt.return
}

// -----

tt.func public @thread(%p: !tt.ptr<i32>) {
  // expected-error @below {{'gpu.thread_id' op has no form on the CPU}}
  %0 = gpu.thread_id x
  tt.return
}

// -----

tt.func public @vector_constant() {
  // expected-error @below {{'llvm.mlir.constant' op has no form on the CPU}}
  %0 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
  tt.return
}
