// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: tt.func @print_and_assert
tt.func @print_and_assert(%x: tensor<64xf32>, %n: i32, %c: tensor<64xi1>, %s: i1) {
  // CHECK-NEXT: tt.print " x: " {hex = false, isSigned = array<i32: 0, 1>} : %{{.*}}, %{{.*}} : tensor<64xf32>, i32
  tt.print " x: " {hex = false, isSigned = array<i32: 0, 1>} : %x, %n : tensor<64xf32>, i32
  // CHECK-NEXT: tt.print "here" {hex = true, isSigned = array<i32>}
  tt.print "here" {hex = true, isSigned = array<i32>}
  // CHECK-NEXT: tt.assert %{{.*}}, "index \22i\22 out of bounds" : tensor<64xi1>
  tt.assert %c, "index \"i\" out of bounds" : tensor<64xi1>
  // CHECK-NEXT: tt.assert %{{.*}}, "no" : i1
  tt.assert %s, "no" : i1
  tt.return
}

// CHECK-LABEL: func.func @of_vectors
func.func @of_vectors(%x: vector<16xf32>, %c: vector<16xi1>) {
  // CHECK-NEXT: tt.print "x" {hex = false, isSigned = array<i32: 0>} : %{{.*}} : vector<16xf32>
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : vector<16xf32>
  // CHECK-NEXT: tt.assert %{{.*}}, "no" : vector<16xi1>
  tt.assert %c, "no" : vector<16xi1>
  return
}

// Triton 3.6 and later print a sign even without operands.
// CHECK-LABEL: tt.func @print_of_a_prefix
tt.func @print_of_a_prefix() {
  // CHECK-NEXT: tt.print "here" {hex = false, isSigned = array<i32: 0>}
  tt.print "here" {hex = false, isSigned = array<i32: 0>}
  // CHECK-NEXT: tt.print "" {hex = true, isSigned = array<i32>}
  tt.print "" {hex = true, isSigned = array<i32>}
  tt.return
}
