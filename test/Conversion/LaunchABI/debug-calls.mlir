// RUN: blockdsl-opt %s -convert-launch-abi -split-input-file | FileCheck %s

// An assertion that fails in any lane is reported once, with its location in the kernel's source.

// CHECK-DAG: llvm.mlir.global internal constant @blockdsl.text.0("index out of bounds\0A  gather.py:7:9\00")
// CHECK-DAG: func.func private @blockdsl_assert_failed(!llvm.ptr, !llvm.ptr, i32, i32, i32)
// CHECK-LABEL: func.func private @asserts.programs
// CHECK-SAME:    i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %[[CONTEXT:[^:]*]]: !llvm.ptr
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}}) ->
// CHECK:         %[[HOLDS:.*]] = vector.reduction <and>, %{{.*}} : vector<16xi1> into i1
// CHECK:         %[[FAILS:.*]] = arith.xori %[[HOLDS]], %{{.*}}
// CHECK:         scf.if %[[FAILS]] {
// CHECK:           %[[TEXT:.*]] = llvm.mlir.addressof @blockdsl.text.0
// CHECK:           func.call @blockdsl_assert_failed(%[[CONTEXT]], %[[TEXT]], %[[X]], %[[Y]], %[[Z]])
func.func @asserts(%p: !llvm.ptr) attributes {blockdsl.kernel} {
  %c = llvm.load %p : !llvm.ptr -> vector<16xi1>
  tt.assert %c, "index out of bounds" : vector<16xi1> loc("gather.py":7:9)
  return
}

// -----

// CHECK-DAG: llvm.mlir.global internal constant @[[WIDTHS:blockdsl.text.*]]("12\00")
// CHECK-LABEL: func.func private @prints.programs
// CHECK-DAG:     %[[FLOATS:.*]] = llvm.alloca %{{.*}} x vector<16xf32> {alignment = 64 : i64}
// CHECK-DAG:     %[[PLACES:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x vector<16xi32>> {alignment = 64 : i64}
// CHECK:         scf.for
// CHECK:         %[[ROWS:.*]] = vector.broadcast %{{.*}} : i32 to vector<16xi32>
// CHECK:         %[[SHAPE:.*]] = llvm.mlir.addressof @[[WIDTHS]]
// CHECK:         %[[BOTH:.*]] = llvm.insertvalue %[[ROWS]], %{{.*}}[0]
// CHECK:         %[[ALL:.*]] = llvm.insertvalue %{{.*}}, %[[BOTH]][1]
// CHECK:         llvm.store %[[ALL]], %[[PLACES]]
// CHECK:         llvm.store %{{.*}}, %[[FLOATS]]
// f32: 32 bits and float.
// CHECK:         %[[CODE:.*]] = arith.constant 288 : i32
// CHECK-NEXT:    %[[COUNT:.*]] = arith.constant 16 : i64
// CHECK-NEXT:    func.call @blockdsl_print({{.*}}, %[[CODE]], %[[FLOATS]], %[[COUNT]], %[[SHAPE]], %[[PLACES]])
func.func @prints(%p: !llvm.ptr, %row: i32) attributes {blockdsl.kernel} {
  %x = llvm.load %p : !llvm.ptr -> vector<16xf32>
  %columns = llvm.load %p : !llvm.ptr -> vector<16xi32>
  tt.print " x: " {blockdsl.printed_extents = array<i64: 4, 16>, hex = false, isSigned = array<i32: 0, 0, 0>} : %x, %row, %columns : vector<16xf32>, i32, vector<16xi32>
  return
}

// -----

// The value of a uniform block may be a scalar.
// CHECK-LABEL: func.func private @prints_equal.programs
// CHECK:         %[[LANES:.*]] = vector.broadcast %{{.*}} : i64 to vector<8xi64>
// CHECK:         llvm.store %[[LANES]], %{{.*}}
func.func @prints_equal(%p: !llvm.ptr, %n: i64) attributes {blockdsl.kernel} {
  %places = llvm.load %p : !llvm.ptr -> vector<8xi32>
  tt.print " n: " {blockdsl.printed_extents = array<i64: 8>, hex = false, isSigned = array<i32: 1, 0>} : %n, %places : i64, vector<8xi32>
  return
}

// -----

// CHECK-LABEL: func.func private @prints_scalars.programs
// CHECK:         scf.for
// i1 is stored in a byte.
// CHECK:         %[[BYTE:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK:         llvm.store %[[BYTE]], %{{.*}}
// CHECK:         arith.constant 1 : i32
// CHECK-NEXT:    arith.constant 1 : i32
// i32, signed.
// CHECK:         arith.constant 544 : i32
// CHECK-NEXT:    arith.constant 1 : i64
// bf16: 16 bits, float, and a flag that distinguishes it from f16.
// CHECK:         arith.constant 2320 : i32
// The bits of an 8-bit float.
// CHECK:         arith.bitcast %{{.*}} : f8E4M3FN to i8
// CHECK:         arith.constant 8 : i32
func.func @prints_scalars(%c: i1, %n: i32, %b: bf16, %e: f8E4M3FN) attributes {blockdsl.kernel} {
  tt.print " x: " {hex = true, isSigned = array<i32: 0, 1, 0, 0>} : %c, %n, %b, %e : i1, i32, bf16, f8E4M3FN
  return
}

// -----

// CHECK-LABEL: func.func private @prints_small_float.programs
// CHECK:         arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK:         arith.constant 288 : i32
func.func @prints_small_float(%e: f8E4M3FN) attributes {blockdsl.kernel} {
  tt.print " e: " {hex = false, isSigned = array<i32: 0>} : %e : f8E4M3FN
  return
}

// -----

// CHECK-LABEL: func.func private @prints_words.programs
// CHECK:         %[[NOTHING:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         func.call @blockdsl_print({{.*}}, %[[NOTHING]], %{{.*}}, %[[NOTHING]], %[[NOTHING]])
func.func @prints_words() attributes {blockdsl.kernel} {
  tt.print "here" {hex = false, isSigned = array<i32>}
  return
}
