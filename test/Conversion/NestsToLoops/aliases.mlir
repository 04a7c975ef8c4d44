// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s --check-prefixes=CHECK,DISJOINT
// RUN: blockdsl-opt %s --blockdsl-to-linalg "--blockdsl-linalg-to-loops=alias=unknown" | FileCheck %s --check-prefixes=CHECK,UNKNOWN
// RUN: blockdsl-opt %s --blockdsl-to-linalg "--blockdsl-linalg-to-loops=merged=0,1,0" | FileCheck %s --check-prefixes=MERGED

// Arguments that may overlap: the load is materialized before the store, and no `noalias` is emitted.
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

// An update in place through a second argument that is known to be the first: no copy is made, and the other argument
// is still `noalias`. One address is computed for the load and the store.
// CHECK-LABEL:  func.func @add_in_place
// UNKNOWN:        llvm.alloca
// MERGED-LABEL: func.func @add_in_place
// MERGED-SAME:    %[[X:[^:]+]]: !llvm.ptr {llvm.noalias}, %[[Y:[^:]+]]: !llvm.ptr {llvm.noalias}
// MERGED-NOT:     llvm.alloca
// MERGED:         %[[AT:.*]] = llvm.getelementptr %[[X]][
// MERGED:         %[[A:.*]] = llvm.load %[[AT]]
// MERGED:         llvm.store %{{.*}}, %[[AT]]
tt.func @add_in_place(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %outp = tt.addptr %outs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %b = tt.load %yp : tensor<1024x!tt.ptr<f32>>
  %c = arith.addf %a, %b : tensor<1024xf32>
  tt.store %outp, %c : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// The same base with another offset: the store would clobber later elements, so the load is materialized.
// MERGED-LABEL: func.func @shift_in_place
// MERGED:         llvm.alloca
tt.func @shift_in_place(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %one = arith.constant dense<1> : tensor<1024xi32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %next = arith.addi %range, %one : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %outp = tt.addptr %outs, %next : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  tt.store %outp, %a : tensor<1024x!tt.ptr<f32>>
  tt.return
}
