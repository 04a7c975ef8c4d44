// RUN: blockdsl-opt %s -convert-tt-to-linalg | FileCheck %s

// CHECK-LABEL: tt.func @assertion_of_each_element
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<64xi1>)
// CHECK:           tt.assert %{{.*}}, "in range" : i1
tt.func @assertion_of_each_element(%c: tensor<64xi1>) {
  tt.assert %c, "in range" : tensor<64xi1>
  tt.return
}

// Blocks of a print may have different shapes, so each is shown by itself.
// CHECK-LABEL: tt.func @print_one_after_the_other
// CHECK:         linalg.generic
// CHECK:           tt.print " x: " {{.*}} : f32
// CHECK:         tt.print " x: " {{.*}} : i32
tt.func @print_one_after_the_other(%x: tensor<64xf32>, %n: i32) {
  tt.print " x: " {hex = false, isSigned = array<i32: 0, 1>} : %x, %n : tensor<64xf32>, i32
  tt.return
}

// A program is one thread, and launches follow one another: there is no one to wait for.
// CHECK-LABEL: tt.func @barriers_go
// CHECK-NEXT:    tt.return
tt.func @barriers_go() {
  gpu.barrier
  ttg.barrier all
  tt.grid_dependency_wait
  tt.grid_dependency_launch_dependents
  tt.return
}
