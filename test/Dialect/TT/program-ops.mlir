// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: tt.func @program_ids_and_grid
tt.func @program_ids_and_grid() -> (i32, i32) {
  // CHECK-NEXT: %[[X:.*]] = tt.get_program_id x : i32
  %x = tt.get_program_id x : i32
  // CHECK-NEXT: tt.get_program_id y : i32
  %y = tt.get_program_id y : i32
  // CHECK-NEXT: %[[N:.*]] = tt.get_num_programs z : i32
  %n = tt.get_num_programs z : i32
  // CHECK-NEXT: tt.return %[[X]], %[[N]] : i32, i32
  tt.return %x, %n : i32, i32
}

// CHECK-LABEL: tt.func @dependent_launches
tt.func @dependent_launches() {
  // CHECK-NEXT: tt.grid_dependency_wait
  tt.grid_dependency_wait
  // CHECK-NEXT: tt.grid_dependency_launch_dependents
  tt.grid_dependency_launch_dependents
  tt.return
}

// CHECK-LABEL: tt.func @barriers
tt.func @barriers() {
  // CHECK-NEXT: ttg.barrier all
  ttg.barrier all
  // CHECK-NEXT: ttg.barrier local|global_write
  ttg.barrier local|global_write
  // CHECK-NEXT: ttg.barrier none
  ttg.barrier none
  // CHECK-NEXT: gpu.barrier
  gpu.barrier
  tt.return
}
