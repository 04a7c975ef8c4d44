// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops=streaming-stores=true | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s --check-prefix=CACHED
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-nests=streaming-stores=true | sed 's/align = true, //' | blockdsl-opt --blockdsl-to-loops | FileCheck %s --check-prefix=EDITED
// Alignment of vector stores.

// The stride is unknown: a first step of less than a vector aligns the others to cache lines, and only aligned stores
// may bypass the caches.
// CHECK-LABEL: func.func @row_anywhere
// CHECK:         %[[ROW:.*]] = llvm.getelementptr %arg0
// CHECK:         %[[ADDRESS:.*]] = llvm.ptrtoint %[[ROW]]
// CHECK:         %[[MISSING:.*]] = arith.subi %{{.*}}, %[[ADDRESS]] : i64
// CHECK:         %[[BYTES:.*]] = arith.andi %[[MISSING]], %{{.*}} : i64
// CHECK:         %[[ELEMENTS:.*]] = arith.shrui %[[BYTES]], %{{.*}} : i64
// CHECK:         %[[AT:.*]] = arith.index_cast %[[ELEMENTS]] : i64 to index
// CHECK:         %[[BEGIN:.*]] = arith.minsi %[[AT]], %[[END:.*]] : index
// CHECK:         scf.if
// CHECK:           llvm.intr.masked.store {{.*}} vector<16xf32>
// CHECK:         scf.if
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to
// CHECK:             llvm.store {{.*}} {alignment = 64 : i64, nontemporal}
// CHECK:         } else {
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to
// CHECK:             llvm.store {{.*}} {alignment = 4 : i64}

// CACHED-LABEL: func.func @row_anywhere
// CACHED:         %[[ELEMENTS:.*]] = arith.index_cast %{{.*}} : i64 to index
// CACHED:         %[[BEGIN:.*]] = arith.minsi %[[ELEMENTS]]
// CACHED:         llvm.intr.masked.store {{.*}} vector<16xf32>
// CACHED:         scf.for %{{.*}} = %[[BEGIN]] to
// CACHED:           llvm.store
// CACHED-NOT:     nontemporal

// Without the first step only rows that happen to be aligned bypass the caches.
// EDITED-LABEL: func.func @row_anywhere
// EDITED-NOT:     arith.shrui
// EDITED:         scf.for %{{.*}} = %c0 to
// EDITED:           llvm.store {{.*}} nontemporal}
tt.func @row_anywhere(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %stride: i32, %n: i32) {
  %id = tt.get_program_id x : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %range, %ns : tensor<1024xi32>
  %at = arith.muli %id, %stride : i32
  %row = tt.addptr %out, %at : !tt.ptr<f32>, i32
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %places = tt.addptr %rows, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %values = tt.splat %x : f32 -> tensor<1024xf32>
  tt.store %places, %values, %inside : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Rows are not aligned if the stride is known to be a multiple of 16, or if a row has only a few vectors.
// CACHED-LABEL: func.func @aligned_row
// CACHED-NOT:     llvm.ptrtoint
// CACHED-LABEL: func.func @short_row
// CACHED-NOT:     llvm.ptrtoint
tt.func @aligned_row(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) {
  %id = tt.get_program_id x : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %range, %ns : tensor<1024xi32>
  %at = arith.muli %id, %stride : i32
  %row = tt.addptr %out, %at : !tt.ptr<f32>, i32
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %places = tt.addptr %rows, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %values = tt.splat %x : f32 -> tensor<1024xf32>
  tt.store %places, %values, %inside : tensor<1024x!tt.ptr<f32>>
  tt.return
}

tt.func @short_row(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %stride: i32, %n: i32) {
  %id = tt.get_program_id x : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %inside = arith.cmpi slt, %range, %ns : tensor<128xi32>
  %at = arith.muli %id, %stride : i32
  %row = tt.addptr %out, %at : !tt.ptr<f32>, i32
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %places = tt.addptr %rows, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %values = tt.splat %x : f32 -> tensor<128xf32>
  tt.store %places, %values, %inside : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A constant that differs per lane is a global. 8-bit floats are bytes in memory.
// CHECK:       llvm.mlir.global internal constant @small_floats.table0(dense<[60, -68, 1, 126]> : tensor<4xi8>)
// CHECK-LABEL: func.func @small_floats
tt.func @small_floats(%p: !tt.ptr<f8E5M2>) {
  %numbers = arith.constant dense<[0x3C, 0xBC, 0x01, 0x7E]> : tensor<4xf8E5M2>
  %at = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %ps = tt.splat %p : !tt.ptr<f8E5M2> -> tensor<4x!tt.ptr<f8E5M2>>
  %to = tt.addptr %ps, %at : tensor<4x!tt.ptr<f8E5M2>>, tensor<4xi32>
  tt.store %to, %numbers : tensor<4x!tt.ptr<f8E5M2>>
  tt.return
}

// A constant distance between elements: single stores to constant distances from one address, not a scatter.
// CHECK-LABEL: func.func @every_second
// CHECK-NOT:     scatter
// CHECK:         %[[BASE:.*]] = llvm.getelementptr %arg1
// CHECK:         %[[TWO:.*]] = llvm.getelementptr %[[BASE]][8] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:    %[[LANE:.*]] = vector.extract %{{.*}}[1]
// CHECK-NEXT:    llvm.store %[[LANE]], %[[TWO]] {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NOT:     scatter
// CHECK:         return
tt.func @every_second(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %two = arith.constant dense<2> : tensor<1024xi32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %at = arith.muli %i, %two : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}
