// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops=vector-bits=256 | FileCheck %s --check-prefix=HALF
// Blocks that are read along one dimension and stored along the other are transposed in registers, in squares.

// A square is read along its contiguous rows, and its transpose is kept; then the rows of the transpose are stored.
// CHECK-LABEL: func.func @whole
// CHECK-SAME:    %[[X:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[Y:[^:]*]]: !llvm.ptr
// CHECK:         %[[COUNT:.*]] = arith.constant 256 : i64
// CHECK:         %[[STRIP:.*]] = llvm.alloca %[[COUNT]] x f32
// CHECK-NOT:     gather
// CHECK-NOT:     scatter
// CHECK:         scf.for %[[BAND:.*]] = %{{.*}} to %c64 step %c16
// CHECK:           scf.for
// CHECK-COUNT-16:    llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:             vector.shuffle %{{.*}}, %{{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK:             vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
// CHECK-COUNT-16:    llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : vector<16xi32>, !llvm.ptr
// CHECK:             scf.for %{{.*}} = %[[BAND]]
// CHECK:               %[[ROW:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK:               llvm.store %[[ROW]], %{{.*}} {alignment = 4 : i64} : vector<16xf32>
// CHECK-NOT:     scatter
// CHECK:         return

// Registers of half the size hold squares of half the size, and two of them are a cache line.
// HALF-LABEL: func.func @whole
// HALF:         scf.for %[[BAND:.*]] = %{{.*}} to %c64 step %c16
// HALF:           scf.for %{{.*}} = %{{.*}} to %c64 step %c16
// HALF:             scf.for %{{.*}} = %[[BAND]] to %{{.*}} step %c8
// HALF:               scf.for %{{.*}} = %c0 to %c16 step %c8
// HALF-COUNT-8:         llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// HALF:                 vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13]
// HALF:                 vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
tt.func @whole(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
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
  tt.store %yp, %v : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A strip is a cache line in both directions for any element size: four by four squares of bytes.
// CHECK-LABEL: func.func @bytes
// CHECK:         llvm.alloca %{{.*}} x i8
// CHECK-NOT:     gather
// CHECK:         scf.for %{{.*}} = %{{.*}} step %c16
// CHECK:           scf.for %{{.*}} = %{{.*}} step %c16
// CHECK-COUNT-16:    llvm.load %{{.*}} : !llvm.ptr -> vector<16xi8>
// CHECK:         llvm.store %{{.*}}, %{{.*}} : vector<64xi8>
// CHECK:         return
tt.func @bytes(%x: !tt.ptr<i8>, %y: !tt.ptr<i8>) {
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
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %from : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %yp = tt.addptr %ys, %to : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %v = tt.load %xp : tensor<64x64x!tt.ptr<i8>>
  tt.store %yp, %v : tensor<64x64x!tt.ptr<i8>>
  tt.return
}

// If the block ends within a square, nothing beyond is read: rows are masked, and the last row is read again. A whole
// block needs neither.
// CHECK-LABEL: func.func @ragged
// CHECK-SAME:    %[[X:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[Y:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[M:[^:]*]]: i32, %[[N:[^:]*]]: i32
// CHECK-NOT:     gather
// CHECK:         %[[ROWS:.*]] = arith.cmpi sge, %{{.*}}, %c64 : index
// CHECK:         %[[COLUMNS:.*]] = arith.cmpi sge, %{{.*}}, %c64 : index
// CHECK:         %[[WHOLE:.*]] = arith.andi %[[ROWS]], %[[COLUMNS]]
// CHECK:         scf.if %[[WHOLE]] {
// CHECK-NOT:     masked
// CHECK-COUNT-16:  llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT:     masked
// CHECK:         } else {
// CHECK-COUNT-16: llvm.intr.masked.load
// CHECK:         scf.if
// CHECK:         arith.minsi
// CHECK:         llvm.intr.masked.load
// CHECK:         llvm.intr.masked.store
// CHECK-NOT:     gather
// CHECK:         return
tt.func @ragged(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32, %n: i32) {
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
  %ms = tt.splat %m : i32 -> tensor<64x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x64xi32>
  %inRows = arith.cmpi slt, %rows, %ms : tensor<64x1xi32>
  %inColumns = arith.cmpi slt, %columns, %ns : tensor<1x64xi32>
  %inRows2 = tt.broadcast %inRows : tensor<64x1xi1> -> tensor<64x64xi1>
  %inColumns2 = tt.broadcast %inColumns : tensor<1x64xi1> -> tensor<64x64xi1>
  %inside = arith.andi %inRows2, %inColumns2 : tensor<64x64xi1>
  %one = arith.constant dense<1.0> : tensor<64x64xf32>
  %v = tt.load %xp, %inside, %one : tensor<64x64x!tt.ptr<f32>>
  tt.store %yp, %v, %inside : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Two blocks with the same contiguous dimension are added, and their sum transposed; a third is read along the lanes.
// CHECK-LABEL: func.func @larger_than_a_load
// CHECK:         llvm.alloca
// CHECK-NOT:     llvm.alloca
// CHECK-NOT:     gather
// CHECK:         arith.addf
// CHECK:         vector.shuffle
// CHECK:         arith.mulf
// CHECK-NOT:     arith.addf
// CHECK:         return
tt.func @larger_than_a_load(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
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
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %zp = tt.addptr %zs, %from : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %wp = tt.addptr %zs, %to : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %a = tt.load %xp : tensor<64x64x!tt.ptr<f32>>
  %b = tt.load %zp : tensor<64x64x!tt.ptr<f32>>
  %c = tt.load %wp : tensor<64x64x!tt.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<64x64xf32>
  %product = arith.mulf %sum, %c : tensor<64x64xf32>
  tt.store %yp, %product : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// If a dimension is merged from two, a block within the inner one is contiguous.
// CHECK-LABEL: func.func @quotient_and_remainder
// CHECK-NOT:     scatter
// CHECK:         vector.shuffle
// CHECK-NOT:     scatter
// CHECK:         return
tt.func @quotient_and_remainder(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
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
  %p = tt.get_program_id x : i32
  %c64 = arith.constant 64 : i32
  %base = arith.muli %p, %c64 : i32
  %bases = tt.splat %base : i32 -> tensor<64x1xi32>
  %at = arith.addi %bases, %rows : tensor<64x1xi32>
  %c512 = arith.constant dense<512> : tensor<64x1xi32>
  %c4096 = arith.constant dense<4096> : tensor<64x1xi32>
  %quotient = arith.divsi %at, %c512 : tensor<64x1xi32>
  %remainder = arith.remsi %at, %c512 : tensor<64x1xi32>
  %far = arith.muli %quotient, %c4096 : tensor<64x1xi32>
  %place = arith.addi %far, %remainder : tensor<64x1xi32>
  %place2 = tt.broadcast %place : tensor<64x1xi32> -> tensor<64x64xi32>
  %there = arith.addi %place2, %outColumn2 : tensor<64x64xi32>
  %zp = tt.addptr %ys, %there : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %xp : tensor<64x64x!tt.ptr<f32>>
  tt.store %zp, %v : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Two columns are too few for a square: their elements are gathered.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT:     vector.shuffle
// CHECK:         llvm.intr.masked.gather
// CHECK:         return
tt.func @narrow(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pitch = arith.constant dense<128> : tensor<64x1xi32>
  %outPitch = arith.constant dense<128> : tensor<1x2xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %j = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %row = arith.muli %rows, %pitch : tensor<64x1xi32>
  %row2 = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x2xi32>
  %column2 = tt.broadcast %columns : tensor<1x2xi32> -> tensor<64x2xi32>
  %from = arith.addi %row2, %column2 : tensor<64x2xi32>
  %outColumn = arith.muli %columns, %outPitch : tensor<1x2xi32>
  %outColumn2 = tt.broadcast %outColumn : tensor<1x2xi32> -> tensor<64x2xi32>
  %outRow2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x2xi32>
  %to = arith.addi %outRow2, %outColumn2 : tensor<64x2xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x2x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %from : tensor<64x2x!tt.ptr<f32>>, tensor<64x2xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x2x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %to : tensor<64x2x!tt.ptr<f32>>, tensor<64x2xi32>
  %v = tt.load %xp : tensor<64x2x!tt.ptr<f32>>
  tt.store %yp, %v : tensor<64x2x!tt.ptr<f32>>
  tt.return
}

// A volatile load is made element by element, and its block is transposed afterwards.
// CHECK-LABEL: func.func @volatile
// CHECK-NOT:     vector
// CHECK:         llvm.load volatile %{{.*}} -> f32
// CHECK-NOT:     volatile
// CHECK:         vector.shuffle
// CHECK-NOT:     volatile
// CHECK:         return
tt.func @volatile(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
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
  %v = tt.load %xp {isVolatile = true} : tensor<64x64x!tt.ptr<f32>>
  tt.store %yp, %v : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Elements that are contiguous along no dimension are gathered.
// CHECK-LABEL: func.func @along_neither
// CHECK-NOT:     vector.shuffle
// CHECK:         llvm.intr.masked.gather
// CHECK:         return
tt.func @along_neither(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %step: i32) {
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
  %steps = tt.splat %step : i32 -> tensor<64x64xi32>
  %far = arith.muli %from, %steps : tensor<64x64xi32>
  %zp = tt.addptr %xs, %far : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %zp : tensor<64x64x!tt.ptr<f32>>
  tt.store %yp, %v : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A buffer is written along its last dimension too. The lanes are the columns of the matrix, which are parts of a
// one-dimensional block; each column is read along itself. The buffer is read as one dimension, without a division.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    %[[X:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[Y:[^:]*]]: !llvm.ptr
// CHECK:         %[[MATRIX:.*]] = llvm.alloca %c1024_i64 x f32
// CHECK-NOT:     gather
// CHECK-NOT:     scatter
// CHECK:         scf.for %[[BAND:.*]] = %{{.*}} to %c64 step %c16
// CHECK:           %[[FIRST:.*]] = llvm.getelementptr %[[X]]
// CHECK-NEXT:      llvm.load %[[FIRST]] {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:           arith.addi %[[BAND]], %c64 : index
// CHECK-COUNT-15:  llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK-NOT:     gather
// CHECK-NOT:     scatter
// CHECK:         scf.for %{{.*}} = %c0 to %c1024 step %c64
// CHECK-NOT:       {{divui|remui}}
// CHECK:           llvm.load %{{.*}} -> vector<64xf32>
// CHECK:           llvm.store %{{.*}} : vector<64xf32>
// CHECK:         return
tt.func @parts(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %from = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %from : tensor<1024x!tt.ptr<f32>>
  %r = tt.reshape %v : tensor<1024xf32> -> tensor<4x4x64xf32>
  %t = tt.trans %r {order = array<i32: 2, 0, 1>} : tensor<4x4x64xf32> -> tensor<64x4x4xf32>
  %m = tt.reshape %t : tensor<64x4x4xf32> -> tensor<64x16xf32>
  %twice = arith.addf %m, %m : tensor<64x16xf32>
  %line = tt.reshape %twice : tensor<64x16xf32> -> tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %to = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %to, %line : tensor<1024x!tt.ptr<f32>>
  %none = arith.constant dense<0> : tensor<64x16xi32>
  %g = tt.gather %twice[%none] {axis = 0 : i32} : (tensor<64x16xf32>, tensor<64x16xi32>) -> tensor<64x16xf32>
  %least = "tt.reduce"(%g) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.minnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x16xf32>) -> tensor<16xf32>
  %k = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %zp = tt.addptr %zs, %k : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %zp, %least : tensor<16x!tt.ptr<f32>>
  tt.return
}

// Next to a block without contiguous elements the parts are not transposed by themselves: the loops of the nest do not
// determine their index in the reshaped block.
// CHECK-LABEL: func.func @mixed_parts
// CHECK-NOT:     vector.shuffle
// CHECK:         gather
// CHECK:         return
tt.func @mixed_parts(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %from = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %five = arith.constant dense<5> : tensor<1024xi32>
  %last = arith.constant dense<1023> : tensor<1024xi32>
  %apart = arith.muli %i, %five : tensor<1024xi32>
  %about = arith.andi %apart, %last : tensor<1024xi32>
  %anywhere = tt.addptr %xs, %about : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %u = tt.load %from : tensor<1024x!tt.ptr<f32>>
  %w = tt.load %anywhere : tensor<1024x!tt.ptr<f32>>
  %v = arith.addf %u, %w : tensor<1024xf32>
  %r = tt.reshape %v : tensor<1024xf32> -> tensor<4x4x64xf32>
  %t = tt.trans %r {order = array<i32: 2, 0, 1>} : tensor<4x4x64xf32> -> tensor<64x4x4xf32>
  %m = tt.reshape %t : tensor<64x4x4xf32> -> tensor<64x16xf32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %k = arith.xori %j, %one : tensor<64xi32>
  %ke = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %kb = tt.broadcast %ke : tensor<64x1xi32> -> tensor<64x16xi32>
  %g = tt.gather %m[%kb] {axis = 0 : i32} : (tensor<64x16xf32>, tensor<64x16xi32>) -> tensor<64x16xf32>
  %f = tt.reshape %g : tensor<64x16xf32> -> tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %to = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %to, %f : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// A transposed mask has the value of the last lane in all lanes out of bounds, so loads and stores under it are
// restricted to the lanes within the bounds.
// CHECK-LABEL: func.func @masked_across
// CHECK:         %[[STRIP:.*]] = llvm.alloca %{{.*}} x i8
// CHECK:         %[[INSIDE:.*]] = arith.cmpi sgt, %{{.*}} : vector<16xi32>
// CHECK:         vector.shuffle
// CHECK:         scf.for
// CHECK:           %[[BYTES:.*]] = llvm.load %{{.*}} -> vector<16xi8>
// CHECK:           %[[KEEP:.*]] = arith.trunci %[[BYTES]] : vector<16xi8> to vector<16xi1>
// CHECK:           %[[BOTH:.*]] = arith.andi %[[KEEP]], %[[INSIDE]] : vector<16xi1>
// CHECK:           llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[BOTH]]
// CHECK:         return
tt.func @masked_across(%keep: !tt.ptr<i1>, %y: !tt.ptr<i32>, %n: i32) {
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %c16row = arith.constant dense<16> : tensor<1x16xi32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %row = arith.muli %rows, %c16 : tensor<16x1xi32>
  %row2 = tt.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
  %column2 = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %from = arith.addi %row2, %column2 : tensor<16x16xi32>
  %ks = tt.splat %keep : !tt.ptr<i1> -> tensor<16x16x!tt.ptr<i1>>
  %kp = tt.addptr %ks, %from : tensor<16x16x!tt.ptr<i1>>, tensor<16x16xi32>
  %k = tt.load %kp : tensor<16x16x!tt.ptr<i1>>
  %ns = tt.splat %n : i32 -> tensor<16x1xi32>
  %below = arith.cmpi slt, %rows, %ns : tensor<16x1xi32>
  %below2 = tt.broadcast %below : tensor<16x1xi1> -> tensor<16x16xi1>
  %mask = arith.andi %k, %below2 : tensor<16x16xi1>
  %outColumn = arith.muli %columns, %c16row : tensor<1x16xi32>
  %outColumn2 = tt.broadcast %outColumn : tensor<1x16xi32> -> tensor<16x16xi32>
  %outRow2 = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %to = arith.addi %outRow2, %outColumn2 : tensor<16x16xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %to : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  tt.store %yp, %from, %mask : tensor<16x16x!tt.ptr<i32>>
  tt.return
}
