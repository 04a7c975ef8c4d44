// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-vector | FileCheck %s --check-prefixes=CHECK,DISJOINT
// RUN: blockdsl-opt %s --blockdsl-to-linalg "--blockdsl-to-vector=alias=unknown" | FileCheck %s --check-prefixes=CHECK,UNKNOWN

// Arguments that may overlap: the load is set aside before the store, and nothing is promised to LLVM.
// CHECK-LABEL:   func.func @load_then_store_elsewhere
// DISJOINT-SAME:   llvm.noalias
// DISJOINT-NOT:    llvm.alloca
// UNKNOWN-NOT:     !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}
// UNKNOWN:         llvm.alloca
// CHECK:           return
tt.func @load_then_store_elsewhere(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %zp = tt.addptr %zs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  tt.store %yp, %zero : tensor<1024x!tt.ptr<f32>>
  tt.store %zp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}
