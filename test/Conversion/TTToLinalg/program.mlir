// RUN: blockdsl-opt %s -convert-tt-to-linalg | FileCheck %s

// CHECK-LABEL: tt.func @range_counts_its_index
// CHECK:         linalg.generic
// CHECK:           %[[INDEX:.*]] = linalg.index 0
// CHECK:           %[[CAST:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK:           %[[SUM:.*]] = arith.addi %[[CAST]], %c64{{.*}} : i32
// CHECK:           linalg.yield %[[SUM]]
tt.func @range_counts_its_index() -> tensor<64xi32> {
  %r = tt.make_range {end = 128 : i32, start = 64 : i32} : tensor<64xi32>
  tt.return %r : tensor<64xi32>
}

// CHECK-LABEL: tt.func @program_ids_stay
// CHECK-NEXT:    tt.get_program_id y : i32
// CHECK-NEXT:    tt.get_num_programs z : i32
tt.func @program_ids_stay() -> (i32, i32) {
  %y = tt.get_program_id y : i32
  %z = tt.get_num_programs z : i32
  tt.return %y, %z : i32, i32
}
