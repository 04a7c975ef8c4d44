// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops -split-input-file | FileCheck %s

// An inverted bit beyond the lane number selects another vector, which is loaded contiguously.
// CHECK-LABEL: func.func @whole_vectors
// CHECK-NOT:     gather
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           %[[I32:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK:           %[[OTHER:.*]] = arith.xori %[[I32]], %c128_i32 : i32
// CHECK:           %[[ADDRESS:.*]] = llvm.getelementptr %arg0[%[[OTHER]]]
// CHECK-NEXT:      llvm.load %[[ADDRESS]] {{.*}} -> vector<[[L:.*]]xf32>
// CHECK-NOT:       vector.shuffle
// CHECK-NOT:     gather
// CHECK:         return
tt.func public @whole_vectors(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %bit = arith.constant dense<128> : tensor<256xi32>
  %other = arith.xori %i, %bit : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %other : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// Inverted bits of the lane number are a shuffle, here of a gather's source, whose index needs no remainder. The block
// of indices is not in memory: its own gather is computed.
// CHECK-LABEL: func.func @lanes
// CHECK:         llvm.alloca
// CHECK-NOT:     llvm.alloca
// CHECK-NOT:     gather
// CHECK-NOT:     arith.remui
// CHECK:         vector.shuffle %[[V:.*]], %[[V]] [5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14,
// CHECK-NOT:     gather
// CHECK:         return
tt.func public @lanes(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<i32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %bit = arith.constant dense<5> : tensor<256xi32>
  %other = arith.xori %i, %bit : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %w = tt.gather %v[%other] {axis = 0 : i32} : (tensor<256xf32>, tensor<256xi32>) -> tensor<256xf32>
  %j = tt.gather %i[%other] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %w : tensor<256x!tt.ptr<f32>>
  %zs = tt.splat %z : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %zp = tt.addptr %zs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %zp, %j : tensor<256x!tt.ptr<i32>>
  tt.return
}

// -----

// A block of quotients is computed once and materialized.
// CHECK-LABEL: func.func @quotients
// CHECK:         llvm.alloca
// CHECK:         vector.shuffle
tt.func public @quotients(%z: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %bit = arith.constant dense<5> : tensor<256xi32>
  %other = arith.xori %i, %bit : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %q = arith.divui %i, %ns : tensor<256xi32>
  %j = tt.gather %q[%other] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %zs = tt.splat %z : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %zp = tt.addptr %zs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %zp, %j : tensor<256x!tt.ptr<i32>>
  tt.return
}

// -----

// The mask and the other value of a load, the mask and the value of a store are exchanged with the lanes.
// CHECK-LABEL: func.func @masked
// CHECK-DAG:     %[[MASK:.*]] = vector.shuffle %{{.*}} [1, 0, 3, 2, {{.*}}xi1>
// CHECK-DAG:     %[[OTHER:.*]] = vector.shuffle %{{.*}} [1, 0, 3, 2, {{.*}}xi32>
// CHECK:         %[[READ:.*]] = llvm.intr.masked.load %{{.*}}, %[[MASK]], %[[OTHER]]
// CHECK:         %[[LOADED:.*]] = vector.shuffle %[[READ]], %[[READ]] [1, 0, 3, 2,
// CHECK:         %[[STORED:.*]] = vector.shuffle %[[LOADED]], %[[LOADED]] [2, 3, 0, 1,
// CHECK:         %[[INTO:.*]] = vector.shuffle %{{.*}} [2, 3, 0, 1, {{.*}}xi1>
// CHECK:         llvm.intr.masked.store %[[STORED]], %{{.*}}, %[[INTO]]
// CHECK-NOT:     scatter
// CHECK:         return
tt.func public @masked(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %two = arith.constant dense<2> : tensor<256xi32>
  %from = arith.xori %i, %one : tensor<256xi32>
  %to = arith.xori %i, %two : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %from, %ns : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %from : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %v = tt.load %xp, %mask, %i : tensor<256x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %to : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %yp, %v, %mask : tensor<256x!tt.ptr<i32>>
  tt.return
}

// -----

// Numbers that do not start at a multiple of the number of lanes have carries between lanes.
// CHECK-LABEL: func.func @across_vectors
// CHECK:         gather
tt.func public @across_vectors(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %three = arith.constant dense<3> : tensor<256xi32>
  %bit = arith.constant dense<1> : tensor<256xi32>
  %later = arith.addi %i, %three : tensor<256xi32>
  %other = arith.xori %later, %bit : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %other : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// No exchange: bits that are only known at run time, and every second number.
// CHECK-LABEL: func.func @unknown_bits
// CHECK-COUNT-2: gather
tt.func public @unknown_bits(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %bits: i32) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %bit = tt.splat %bits : i32 -> tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %other = arith.xori %i, %bit : tensor<256xi32>
  %second = arith.addi %i, %i : tensor<256xi32>
  %third = arith.xori %second, %one : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %other : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %xq = tt.addptr %xs, %third : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %w = tt.load %xq : tensor<256x!tt.ptr<f32>>
  %sum = arith.addf %v, %w : tensor<256xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %sum : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// The sum of two exchanges of different lanes has no stride.
// CHECK-LABEL: func.func @two_exchanges
// CHECK:         gather
tt.func public @two_exchanges(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %two = arith.constant dense<2> : tensor<256xi32>
  %first = arith.xori %i, %one : tensor<256xi32>
  %second = arith.xori %i, %two : tensor<256xi32>
  %both = arith.subi %first, %second : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %both : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// A network of many exchanges keeps its loops rolled: those that shuffle, and those that load whole vectors.
// CHECK:         #[[ROLLED:.*]] = #llvm.loop_unroll<disable = true>
// CHECK:         #[[ANNOTATION:.*]] = #llvm.loop_annotation<unroll = #[[ROLLED]]>
// CHECK-LABEL: func.func @many_exchanges
// CHECK-COUNT-9: {llvm.loop_annotation = #[[ANNOTATION]]}
tt.func public @many_exchanges(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %many = arith.constant dense<128> : tensor<256xi32>
  %near = arith.xori %i, %one : tensor<256xi32>
  %far = arith.xori %i, %many : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %0 = tt.load %xp : tensor<256x!tt.ptr<i32>>
  %1 = tt.gather %0[%near] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %2 = tt.gather %1[%far] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %3 = tt.gather %2[%near] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %4 = tt.gather %3[%far] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %5 = tt.gather %4[%near] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %6 = tt.gather %5[%far] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %7 = tt.gather %6[%near] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %8 = tt.gather %7[%far] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %9 = tt.gather %8[%near] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %yp, %9 : tensor<256x!tt.ptr<i32>>
  tt.return
}
