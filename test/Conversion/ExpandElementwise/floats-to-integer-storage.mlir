// RUN: blockdsl-opt %s --floats-to-integer-storage | FileCheck %s

// Loads, moves and stores of bf16 have integer types.

// CHECK-LABEL: func.func @moved
// CHECK-SAME:    %[[C:.*]]: vector<8xi1>, %[[P:.*]]: !llvm.ptr, %[[X:.*]]: i16) -> i16
// CHECK-NOT:     bf16
// CHECK:         %[[ONE:.*]] = arith.constant dense<16256> : vector<8xi16>
// CHECK:         memref.alloca() : memref<8xi16>
// CHECK:         %[[Y:.*]] = llvm.intr.masked.load %[[P]], %[[C]], %[[ONE]] {{.*}} -> vector<8xi16>
// CHECK:         arith.select %[[C]], %[[Y]], %[[ONE]] : vector<8xi1>, vector<8xi16>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[X]]) -> (i16)
func.func @moved(%c: vector<8xi1>, %p: !llvm.ptr, %x: bf16) -> bf16 {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant dense<1.0> : vector<8xbf16>
  %buffer = memref.alloca() : memref<8xbf16>
  %y = llvm.intr.masked.load %p, %c, %one {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  %chosen = arith.select %c, %y, %one : vector<8xi1>, vector<8xbf16>
  vector.store %chosen, %buffer[%zero] : memref<8xbf16>, vector<8xbf16>
  %last = scf.for %i = %zero to %four step %four iter_args(%now = %x) -> (bf16) {
    %next = memref.load %buffer[%i] : memref<8xbf16>
    scf.yield %next : bf16
  }
  return %last : bf16
}

// Bitcasts between the float and the integer are removed.

// CHECK-LABEL: func.func @seen
// CHECK-SAME:    %[[X:.*]]: vector<4xi16>, %[[Y:.*]]: vector<4xi8>
// CHECK-NEXT:    return %[[X]], %[[Y]]
func.func @seen(%x: vector<4xbf16>, %y: vector<4xi8>) -> (vector<4xi16>, vector<4xf8E5M2>) {
  %bits = arith.bitcast %x : vector<4xbf16> to vector<4xi16>
  %float = arith.bitcast %y : vector<4xi8> to vector<4xf8E5M2>
  return %bits, %float : vector<4xi16>, vector<4xf8E5M2>
}

// The operands of an intrinsic keep the types of its signature.

// CHECK-LABEL: func.func @multiplied
// CHECK:         %[[A:.*]] = vector.bitcast %{{.*}} : vector<4xi32> to vector<8xi16>
// CHECK:         %[[B:.*]] = llvm.bitcast %[[A]] : vector<8xi16> to vector<8xbf16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.128"(%{{.*}}, %[[B]], %{{.*}})
func.func @multiplied(%sum: vector<4xf32>, %words: vector<4xi32>) -> vector<4xf32> {
  %a = vector.bitcast %words : vector<4xi32> to vector<8xbf16>
  %next = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.128"(%sum, %a, %a)
    : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
  return %next : vector<4xf32>
}

// f16 stays, because LLVM converts it itself.

// CHECK-LABEL: func.func @f16(%{{.*}}: vector<4xf16>)
func.func @f16(%x: vector<4xf16>) -> vector<4xf16> {
  return %x : vector<4xf16>
}
