// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s

// Prints stay in the order of the program: two blocks of one shape, with a number printed between them, are two loops.
// CHECK-LABEL: func.func @in_turn
// CHECK:         tt.print " a: " {blockdsl.printed_extents = array<i64: 16>, {{.*}} : vector<{{.*}}xf32>, vector<{{.*}}xi32>
// CHECK:         tt.print " n: " {{.*}} : i32
// CHECK:         tt.print " b: " {blockdsl.printed_extents = array<i64: 16>, {{.*}} : vector<{{.*}}xi32>, vector<{{.*}}xi32>
// CHECK:         tt.print "done"
tt.func @in_turn(%p: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %places = tt.addptr %base, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %x = tt.load %places : tensor<16x!tt.ptr<f32>>
  tt.print " a: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<16xf32>
  tt.print " n: " {hex = false, isSigned = array<i32: 1>} : %n : i32
  tt.print " b: " {hex = false, isSigned = array<i32: 1>} : %i : tensor<16xi32>
  tt.print "done" {hex = false, isSigned = array<i32>}
  tt.return
}
