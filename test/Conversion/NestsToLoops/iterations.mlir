// Matmuls of several iterations of a loop: the code for test/Conversion/LinalgToNests/iterations.mlir.
//
// RUN: blockdsl-opt %S/../LinalgToNests/iterations.mlir --blockdsl-to-linalg --blockdsl-to-nests --convert-nests-to-loops --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @added_up
// The packed right side, and the scalars that it depends on, are kept for the next program.
// CHECK:         %[[SEEN:.*]] = llvm.alloca %{{.*}} x i64 {alignment = 64 : i64, blockdsl.kept, blockdsl.zeroed}
// CHECK:         %[[PANEL:.*]] = llvm.alloca %c262144_i64 x i32 {alignment = 64 : i64, blockdsl.kept}
// CHECK:         scf.for %[[FIRST:.*]] = %c0 to %{{.*}} step %c64
// CHECK:           arith.xori
// CHECK:           %[[DIFFER:.*]] = arith.cmpi ne, %{{.*}}, %c0_i64 : i64
// CHECK:           scf.if %[[DIFFER]] {
// CHECK:             scf.for %{{.*}} = %c0 to %[[COUNT:.*]] step %c1
// CHECK:               scf.for %{{.*}} = %c0 to %c32 step %c1
// CHECK:                 llvm.store {{.*}} : vector<16xi32>, !llvm.ptr
// CHECK:             llvm.store %{{.*}} : i64, !llvm.ptr
// CHECK:           }
// The rows of each iteration are read in place, or packed.
// CHECK:           scf.for %{{.*}} = %c0 to %[[COUNT]] step %c1
// CHECK-COUNT-4:     vector.reduction <and>
// CHECK:             scf.if %{{.*}} {
// CHECK-NOT:           vector<16xi32>
// CHECK:             } else {
// CHECK:               llvm.store {{.*}} : vector<16xi32>, !llvm.ptr
// Each tile runs over the iterations, and over the steps of each.
// CHECK:           scf.for %{{.*}} = %c0 to %c60 step %c6
// CHECK:             scf.for %{{.*}} = %c0 to %[[COUNT]] step %c1 iter_args({{.*}} -> (vector<16xf32>
// Rows after the first one are read at offsets, which are loaded once for each iteration.
// CHECK-COUNT-5:         llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:               %[[OFFSET:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:               scf.for %{{.*}} = %c0 to %c32 step %c4 iter_args({{.*}} -> (vector<16xf32>
// CHECK:                 llvm.getelementptr %{{.*}}[%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-COUNT-76:        math.fma
// CHECK:         {blockdsl.source_loop}
// CHECK:         return

// CHECK-LABEL: func.func @in_place_of_the_right_side
// CHECK-NOT:     blockdsl.kept
// CHECK-NOT:     vector.reduction
// CHECK-LABEL: func.func @row_sums_beside
