// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-vector | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: blockdsl-opt %s --blockdsl-to-linalg "--blockdsl-to-vector=vector-bits=256" | FileCheck %s --check-prefixes=CHECK,HALF

// Rows times vectors of columns stay in registers while the common dimension runs: 8 x 32 with 512 bits, 4 x 16 with
// 256. The right side is packed for so many rows, the left one is read where it lies.
// CHECK-LABEL: func.func @tile_in_registers
// CHECK:         %[[RESULT:.*]] = llvm.alloca %{{.*}} x f32
// CHECK:         %[[PACKED:.*]] = llvm.alloca %{{.*}} x f32
// CHECK-NOT:     llvm.alloca
// WIDE:          scf.for %{{.*}} = %c0 to %c64 step %c8
// WIDE:            scf.for {{.*}} -> (vector<16xf32>{{(, vector<16xf32>)+}})
// WIDE-COUNT-16:     math.fma {{.*}} : vector<16xf32>
// HALF:          scf.for %{{.*}} = %c0 to %c64 step %c4
// HALF:            scf.for {{.*}} -> (vector<8xf32>{{(, vector<8xf32>)+}})
// HALF-COUNT-8:      math.fma {{.*}} : vector<8xf32>
tt.func @tile_in_registers(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %bp = tt.addptr %bs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
  %y = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
  %z = tt.dot %x, %y, %zero : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %cp, %z : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Operands narrower than the accumulator are widened once, while they are packed.
// CHECK-LABEL: func.func @half_operands_are_packed
// CHECK:         arith.extf %{{.*}} : vector<{{.*}}xf16> to vector<{{.*}}xf32>
// CHECK:         math.fma
// CHECK-NOT:     arith.extf
// CHECK:         return
tt.func @half_operands_are_packed(%a: !tt.ptr<f16>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %pitch = arith.constant dense<16> : tensor<16x1xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<16x1xi32>
  %r2 = tt.broadcast %r1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c1 = tt.broadcast %c0 : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %r2, %c1 : tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %cp = tt.addptr %cs, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %x = tt.load %ap : tensor<16x16x!tt.ptr<f16>>
  %z = tt.dot %x, %x, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.store %cp, %z : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
