// RUN: blockdsl-opt %s -split-input-file -blockdsl-cpu | FileCheck %s
// RUN: sed 's|^// -*$||' %s > %t.mlir
// RUN: not blockdsl-opt %t.mlir -blockdsl-cpu 2>&1 | FileCheck %s --check-prefix=TOGETHER -DFILE=%t.mlir

// Two modules may have a kernel of the same name. Each keeps it if lowered separately, as the error suggests.
// TOGETHER: [[FILE]]:[[#@LINE+16]]:3: error: 'tt.func' op expects one public function 'kernel' in all modules
// TOGETHER: [[FILE]]:[[#@LINE+5]]:3: note: another is here: rename one of them, or lower each module for itself, with -split-input-file and '// {{-----}}' between the modules

// CHECK: llvm.mlir.constant(1.000000e+00 : f32)
// CHECK: llvm.func @kernel(
module {
  tt.func public @kernel(%p: !tt.ptr<f32>) {
    %0 = arith.constant 1.0 : f32
    tt.store %p, %0 : !tt.ptr<f32>
    tt.return
  }
}
// -----
// CHECK: llvm.mlir.constant(2.000000e+00 : f32)
// CHECK: llvm.func @kernel(
module {
  tt.func public @kernel(%p: !tt.ptr<f32>) {
    %0 = arith.constant 2.0 : f32
    tt.store %p, %0 : !tt.ptr<f32>
    tt.return
  }
}
