// RUN: blockdsl-opt %s -tt-verify-single-kernel | FileCheck %s

// CHECK-LABEL: tt.func public @kernel
tt.func public @kernel(%p: !tt.ptr<f32>, %n: i64, %x: f16, %flag: i1) {
  tt.grid_dependency_wait
  tt.return
}
