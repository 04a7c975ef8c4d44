// Remarks of the plan: blocks that are kept in memory, vector dimensions, and the instructions of matmuls.
//
// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=features="+avx512f,+avx512bf16"' --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=features="+avx512f,+avx512bf16"' -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=SILENT
// SILENT-NOT: remark

// The sum needs all exponentials before one is divided by it.
tt.func @used_twice(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
// CHECK: remarks.mlir:[[#@LINE+1]]:{{.*}}remark: [Passed] Materialized | Category:storage | Remark="block of 256 bytes is kept in memory: an element costs 20 operations, and 2 consumers use it"
  %e = math.exp %v : tensor<64xf32>
  %s = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<64xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<64xf32>
  %q = arith.divf %e, %ss : tensor<64xf32>
  tt.store %yp, %q : tensor<64x!tt.ptr<f32>>
  tt.return
}

// No remark: one consumer.
tt.func @used_once(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %e = math.exp %v : tensor<64xf32>
  tt.store %yp, %e : tensor<64x!tt.ptr<f32>>
  tt.return
}

// The first store clobbers the memory of the load that the second store uses.
tt.func @overwritten(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %zero = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK: remarks.mlir:[[#@LINE+1]]:{{.*}}remark: [Passed] Materialized | Category:storage | Remark="block of 256 bytes is kept in memory: a store before its use may change the memory that it loads"
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  tt.store %xp, %zero : tensor<64x!tt.ptr<f32>>
  tt.store %yp, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

tt.func @volatile(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
// CHECK: remarks.mlir:[[#@LINE+2]]:{{.*}}remark: [Passed] Materialized | Category:storage | Remark="block of 256 bytes is kept in memory: its load is volatile"
// CHECK: remarks.mlir:[[#@LINE+1]]:{{.*}}remark: [Missed] VectorDimension | Category:vectorize | Remark="runs for one element at a time: a branch, a volatile load or a combine function with a branch has no vector form"
  %v = tt.load %xp {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  tt.store %yp, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

tt.func @transposed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pitch = arith.constant dense<128> : tensor<64x1xi32>
  %outPitch = arith.constant dense<128> : tensor<1x64xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %row = arith.muli %rows, %pitch : tensor<64x1xi32>
  %row2 = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %column2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %from = arith.addi %row2, %column2 : tensor<64x64xi32>
  %outColumn = arith.muli %columns, %outPitch : tensor<1x64xi32>
  %outColumn2 = tt.broadcast %outColumn : tensor<1x64xi32> -> tensor<64x64xi32>
  %outRow2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %to = arith.addi %outRow2, %outColumn2 : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %from : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %to : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %xp : tensor<64x64x!tt.ptr<f32>>
// CHECK: remarks.mlir:[[#@LINE+1]]:{{.*}}remark: [Passed] VectorDimension | Category:vectorize | Remark="vectors run along dimension 0; blocks that are contiguous along dimension 1 are transposed in registers"
  tt.store %yp, %v : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

tt.func @groups(%a: !tt.ptr<bf16>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
  %pitch = arith.constant dense<32> : tensor<16x1xi32>
  %deep = arith.constant dense<32> : tensor<32x1xi32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %i0 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %i1 = arith.muli %i0, %pitch : tensor<16x1xi32>
  %i2 = tt.broadcast %i1 : tensor<16x1xi32> -> tensor<16x32xi32>
  %j0 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %j1 = tt.broadcast %j0 : tensor<1x32xi32> -> tensor<16x32xi32>
  %left = arith.addi %i2, %j1 : tensor<16x32xi32>
  %k0 = tt.expand_dims %j {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k1 = arith.muli %k0, %deep : tensor<32x1xi32>
  %k2 = tt.broadcast %k1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %j2 = tt.broadcast %j0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %right = arith.addi %k2, %j2 : tensor<32x32xi32>
  %as = tt.splat %a : !tt.ptr<bf16> -> tensor<16x32x!tt.ptr<bf16>>
  %bs = tt.splat %a : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %left : tensor<16x32x!tt.ptr<bf16>>, tensor<16x32xi32>
  %bp = tt.addptr %bs, %right : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %left : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %x = tt.load %ap : tensor<16x32x!tt.ptr<bf16>>
  %y = tt.load %bp : tensor<32x32x!tt.ptr<bf16>>
// CHECK: remarks.mlir:[[#@LINE+1]]:{{.*}}remark: [Passed] MatmulInstruction | Category:matmul | Remark="tile of 8 x 32 by a dot instruction on groups of 2 bf16"
  %z = tt.dot %x, %y, %zero : tensor<16x32xbf16> * tensor<32x32xbf16> -> tensor<16x32xf32>
  tt.store %cp, %z : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

tt.func @converted(%a: !tt.ptr<f16>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
  %pitch = arith.constant dense<32> : tensor<16x1xi32>
  %deep = arith.constant dense<32> : tensor<32x1xi32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %i0 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %i1 = arith.muli %i0, %pitch : tensor<16x1xi32>
  %i2 = tt.broadcast %i1 : tensor<16x1xi32> -> tensor<16x32xi32>
  %j0 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %j1 = tt.broadcast %j0 : tensor<1x32xi32> -> tensor<16x32xi32>
  %left = arith.addi %i2, %j1 : tensor<16x32xi32>
  %k0 = tt.expand_dims %j {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k1 = arith.muli %k0, %deep : tensor<32x1xi32>
  %k2 = tt.broadcast %k1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %j2 = tt.broadcast %j0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %right = arith.addi %k2, %j2 : tensor<32x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
  %bs = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %left : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
  %bp = tt.addptr %bs, %right : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %left : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %x = tt.load %ap : tensor<16x32x!tt.ptr<f16>>
  %y = tt.load %bp : tensor<32x32x!tt.ptr<f16>>
// CHECK: remarks.mlir:[[#@LINE+1]]:{{.*}}remark: [Missed] MatmulInstruction | Category:matmul | Remark="tile of 8 x 32 by multiply-adds of f32, to which f16 is converted: the CPU has no instruction for groups of it, or the extents are no powers of two"
  %z = tt.dot %x, %y, %zero : tensor<16x32xf16> * tensor<32x32xf16> -> tensor<16x32xf32>
  tt.store %cp, %z : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

tt.func @numbers(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
  %pitch = arith.constant dense<32> : tensor<16x1xi32>
  %deep = arith.constant dense<32> : tensor<32x1xi32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %i0 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %i1 = arith.muli %i0, %pitch : tensor<16x1xi32>
  %i2 = tt.broadcast %i1 : tensor<16x1xi32> -> tensor<16x32xi32>
  %j0 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %j1 = tt.broadcast %j0 : tensor<1x32xi32> -> tensor<16x32xi32>
  %left = arith.addi %i2, %j1 : tensor<16x32xi32>
  %k0 = tt.expand_dims %j {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k1 = arith.muli %k0, %deep : tensor<32x1xi32>
  %k2 = tt.broadcast %k1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %j2 = tt.broadcast %j0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %right = arith.addi %k2, %j2 : tensor<32x32xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %bs = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %left : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %bp = tt.addptr %bs, %right : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %left : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %x = tt.load %ap : tensor<16x32x!tt.ptr<f32>>
  %y = tt.load %bp : tensor<32x32x!tt.ptr<f32>>
// CHECK: remarks.mlir:[[#@LINE+1]]:{{.*}}remark: [Passed] MatmulInstruction | Category:matmul | Remark="tile of 8 x 32 by multiply-adds of f32"
  %z = tt.dot %x, %y, %zero : tensor<16x32xf32> * tensor<32x32xf32> -> tensor<16x32xf32>
  tt.store %cp, %z : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
