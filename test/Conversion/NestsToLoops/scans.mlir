// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s

// Along the only dimension: prefixes within a vector by shuffles, and a carry to the next vector.
// CHECK-LABEL: func.func @prefix_sum
// CHECK:         vector.shuffle
// CHECK:         %[[CARRY:.*]] = vector.extract %{{.*}}[15] : f32 from vector<16xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[CARRY]]) -> (f32)
tt.func @prefix_sum(%x: !tt.ptr<f32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.store %xp, %s : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Along rows, which are contiguous, lanes run along the rows, because across rows elements would be gathered. 16
// columns are one vector without a carry.
// CHECK-LABEL: func.func @row_sums
// CHECK-NOT:     vector.gather
// CHECK-NOT:     llvm.intr.masked.gather
// CHECK:         vector.shuffle
// CHECK-NOT:     iter_args
// CHECK:         return
tt.func @row_sums(%x: !tt.ptr<f32>) {
  %rows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %columns = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %width = arith.constant dense<16> : tensor<32x1xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %first = arith.muli %r, %width : tensor<32x1xi32>
  %rs = tt.broadcast %first : tensor<32x1xi32> -> tensor<32x16xi32>
  %cs = tt.broadcast %c : tensor<1x16xi32> -> tensor<32x16xi32>
  %at = arith.addi %rs, %cs : tensor<32x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
  %v = tt.load %xp : tensor<32x16x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.scan.return %sum : f32
  }) : (tensor<32x16xf32>) -> tensor<32x16xf32>
  tt.store %xp, %s : tensor<32x16x!tt.ptr<f32>>
  tt.return
}

// Lanes across rows read squares along the rows, and transpose them in registers before and after. The rows of a square
// are stored as they are, without a buffer.
// CHECK-LABEL: func.func @products_of_rows
// CHECK-NOT:     llvm.alloca
// CHECK-NOT:     llvm.intr.masked.gather
// CHECK-NOT:     llvm.intr.masked.scatter
// CHECK:         vector.shuffle
// CHECK:         scf.for {{.*}} -> (vector<16xf32>)
// CHECK:         return
tt.func @products_of_rows(%x: !tt.ptr<f32>) {
  %rows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %columns = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %width = arith.constant dense<128> : tensor<32x1xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %first = arith.muli %r, %width : tensor<32x1xi32>
  %rs = tt.broadcast %first : tensor<32x1xi32> -> tensor<32x128xi32>
  %cs = tt.broadcast %c : tensor<1x128xi32> -> tensor<32x128xi32>
  %at = arith.addi %rs, %cs : tensor<32x128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
  %v = tt.load %xp : tensor<32x128x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    tt.scan.return %product : f32
  }) : (tensor<32x128xf32>) -> tensor<32x128xf32>
  tt.store %xp, %s : tensor<32x128x!tt.ptr<f32>>
  tt.return
}

// Two elements may have the same bin: they are counted one by one, if they have a bin.
// CHECK-LABEL: func.func @histogram
// CHECK:         scf.for
// CHECK:           %[[HAS:.*]] = arith.cmpi ult, %{{.*}}, %c16
// CHECK:           scf.if %[[HAS]]
// CHECK:             arith.addi %{{.*}}, %c1_i32
tt.func @histogram(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bins = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %bins : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
  %h = tt.histogram %v : tensor<64xi32> -> tensor<16xi32>
  tt.store %yp, %h : tensor<16x!tt.ptr<i32>>
  tt.return
}

// One bin: its address is loop-invariant, but its count is loaded in each iteration.
// CHECK-LABEL: func.func @one_bin
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             %[[COUNT:.*]] = llvm.load %[[BIN:[0-9]+]]
// CHECK:             %[[MORE:.*]] = arith.addi %[[COUNT]], %c1_i32
// CHECK:             llvm.store %[[MORE]], %[[BIN]]
tt.func @one_bin(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %yp = tt.splat %y : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>>
  %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
  %h = tt.histogram %v : tensor<64xi32> -> tensor<1xi32>
  tt.store %yp, %h : tensor<1x!tt.ptr<i32>>
  tt.return
}

// Products are computed in order: the product of a few middle elements may overflow although no prefix does.
// CHECK-LABEL: func.func @products(
// CHECK-NOT:     vector.shuffle
// CHECK:         %[[FIRST:.*]] = vector.extract %[[ALL:.*]][0] : f32
// CHECK:         %[[SECOND:.*]] = vector.extract %[[ALL]][1] : f32
// CHECK:         %[[TWO:.*]] = arith.mulf %[[FIRST]], %[[SECOND]]
// CHECK:         %[[THIRD:.*]] = vector.extract %[[ALL]][2] : f32
// CHECK:         arith.mulf %[[TWO]], %[[THIRD]]
// CHECK:         vector.from_elements %[[FIRST]], %[[TWO]]
// CHECK:         scf.for {{.*}} iter_args(
// CHECK:         return
tt.func public @products(%p: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<f32>>
  %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%lhs: f32, %rhs: f32):
    %product = arith.mulf %lhs, %rhs : f32
    tt.scan.return %product : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.store %a, %s : tensor<64x!tt.ptr<f32>>
  tt.return
}
