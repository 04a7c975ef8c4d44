// RUN: blockdsl-opt %s -convert-launch-abi -split-input-file | FileCheck %s

// An assert holds for all lanes or is reported once, with its place in the kernel's source.

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

// CHECK-LABEL: func.func private @prints.programs
// CHECK-DAG:     %[[FLOATS:.*]] = llvm.alloca %{{.*}} x vector<16xf32> {alignment = 64 : i64}
// CHECK-DAG:     %[[BOOLS:.*]] = llvm.alloca %{{.*}} x vector<16xi8> {alignment = 64 : i64}
// CHECK:         scf.for
// CHECK:         llvm.store %{{.*}}, %[[FLOATS]]
// CHECK:         %[[HEX:.*]] = arith.constant 1 : i32
// f32: 32 bits and float.
// CHECK-NEXT:    %[[CODE:.*]] = arith.constant 288 : i32
// CHECK-NEXT:    %[[COUNT:.*]] = arith.constant 16 : i64
// CHECK-NEXT:    func.call @blockdsl_print(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[HEX]], %[[CODE]], %[[FLOATS]], %[[COUNT]])
// i1 is stored in bytes.
// CHECK:         %[[BYTES:.*]] = arith.extui %{{.*}} : vector<16xi1> to vector<16xi8>
// CHECK:         llvm.store %[[BYTES]], %[[BOOLS]]
// CHECK:         arith.constant 1 : i32
// CHECK-NEXT:    arith.constant 1 : i32
// i32, signed.
// CHECK:         arith.constant 544 : i32
// CHECK-NEXT:    arith.constant 1 : i64
// bf16: 16 bits, float, and which float of 16 bits.
// CHECK:         arith.constant 2320 : i32
// An 8-bit float is printed as an f32.
// CHECK:         arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK:         arith.constant 288 : i32
func.func @prints(%p: !llvm.ptr, %n: i32, %b: bf16, %e: f8E4M3FN) attributes {blockdsl.kernel} {
  %x = llvm.load %p : !llvm.ptr -> vector<16xf32>
  %c = llvm.load %p : !llvm.ptr -> vector<16xi1>
  tt.print " x: " {hex = true, isSigned = array<i32: 0, 0, 1, 0, 0>} : %x, %c, %n, %b, %e : vector<16xf32>, vector<16xi1>, i32, bf16, f8E4M3FN
  return
}

// -----

// CHECK-LABEL: func.func private @prints_words.programs
// CHECK:         %[[NOTHING:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         func.call @blockdsl_print({{.*}}, %[[NOTHING]], %{{.*}})
func.func @prints_words() attributes {blockdsl.kernel} {
  tt.print "here" {hex = false, isSigned = array<i32>}
  return
}
