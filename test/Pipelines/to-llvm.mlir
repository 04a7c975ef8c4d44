// RUN: blockdsl-opt %s --blockdsl-to-llvm | FileCheck %s

// The whole stage: only LLVM ops, `noalias` on the function that is not inlined, scratch bytes kept for the launcher.

// CHECK:       module attributes {blockdsl.scratch_bytes = 4096 : i64}
// CHECK-LABEL: llvm.func internal @scale.programs(
// CHECK-SAME:    !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME:    attributes {no_unwind, passthrough = ["noinline", "blockdsl-vectorized"]
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         llvm.intr.masked.store
// CHECK-LABEL: llvm.func @scale(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK:         llvm.call @scale.programs(
module attributes {blockdsl.scratch_bytes = 4096 : i64} {
  func.func @scale(%p: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %factor: f32, %n: i32, %scratch: !llvm.ptr {blockdsl.scratch}) attributes {blockdsl.kernel} {
    %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
    %id = tt.get_program_id x : i32
    %c8 = arith.constant 8 : i32
    %first = arith.muli %id, %c8 : i32
    %rest = arith.subi %n, %first : i32
    %rests = vector.broadcast %rest : i32 to vector<8xi32>
    %mask = arith.cmpi slt, %lanes, %rests : vector<8xi32>
    %address = llvm.getelementptr %p[%first] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %x = llvm.intr.masked.load %address, %mask, %zero {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.store %x, %scratch : vector<8xf32>, !llvm.ptr
    %factors = vector.broadcast %factor : f32 to vector<8xf32>
    %y = arith.mulf %x, %factors : vector<8xf32>
    %total = vector.reduction <add>, %y fastmath<reassoc> : vector<8xf32> into f32
    %limit = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %total, %limit : f32
    tt.assert %positive, "sums are positive" : i1
    llvm.intr.masked.store %y, %address, %mask {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    return
  }
}
