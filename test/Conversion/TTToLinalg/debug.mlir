// RUN: blockdsl-opt %s -convert-tt-to-linalg | FileCheck %s

// CHECK-LABEL: tt.func @assertion_of_each_element
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<64xi1>)
// CHECK:           tt.assert %{{.*}}, "in range" : i1
tt.func @assertion_of_each_element(%c: tensor<64xi1>) {
  tt.assert %c, "in range" : tensor<64xi1>
  tt.return
}

// Blocks of a print may have different shapes, so each is printed by itself, its elements with their indices.
// CHECK-LABEL: tt.func @print_one_after_the_other
// CHECK:         linalg.generic
// CHECK:           %[[INDEX:.*]] = linalg.index 0
// CHECK:           %[[AT:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK:           tt.print " x: (operand 0) " {blockdsl.printed_extents = array<i64: 64>, hex = false,
// CHECK-SAME:        isSigned = array<i32: 0, 0>} : %{{.*}}, %[[AT]] : f32, i32
// CHECK:         tt.print " x: (operand 1) " {hex = false, isSigned = array<i32: 1>} : %{{.*}} : i32
tt.func @print_one_after_the_other(%x: tensor<64xf32>, %n: i32) {
  tt.print " x: " {hex = false, isSigned = array<i32: 0, 1>} : %x, %n : tensor<64xf32>, i32
  tt.return
}

// CHECK-LABEL: tt.func @print_of_a_matrix
// CHECK:           linalg.index 0
// CHECK:           linalg.index 1
// CHECK:           tt.print " x: " {blockdsl.printed_extents = array<i64: 4, 16>, {{.*}}} : {{.*}} : f32, i32, i32
tt.func @print_of_a_matrix(%x: tensor<4x16xf32>) {
  tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<4x16xf32>
  tt.return
}

// Pointers are printed as hexadecimal addresses.
// CHECK-LABEL: tt.func @print_of_pointers
// CHECK:         %[[ADDRESS:.*]] = tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
// CHECK-NEXT:    tt.print " p: " {hex = true, isSigned = array<i32: 0>} : %[[ADDRESS]] : i64
// CHECK:         linalg.generic
// CHECK:           tt.ptr_to_int
// CHECK:           tt.print " p: " {blockdsl.printed_extents = array<i64: 4>, hex = true, {{.*}} : i64, i32
tt.func @print_of_pointers(%p: !tt.ptr<f32>, %ps: tensor<4x!tt.ptr<f32>>) {
  tt.print " p: " {hex = false, isSigned = array<i32: 0>} : %p : !tt.ptr<f32>
  tt.print " p: " {hex = false, isSigned = array<i32: 0>} : %ps : tensor<4x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @print_of_a_number
// CHECK-NEXT:    tt.print " n: " {hex = true, isSigned = array<i32: 1>} : %{{.*}} : i32
tt.func @print_of_a_number(%n: i32) {
  tt.print " n: " {hex = true, isSigned = array<i32: 1>} : %n : i32
  tt.return
}

// Barriers and waits are erased: a program is one thread, and launches run one after another.
// CHECK-LABEL: tt.func @barriers_go
// CHECK-NEXT:    tt.return
tt.func @barriers_go() {
  gpu.barrier
  ttg.barrier all
  tt.grid_dependency_wait
  tt.grid_dependency_launch_dependents
  tt.return
}
