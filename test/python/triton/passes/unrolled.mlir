// Loops with unroll factors, as blockdsl-opt prints them.

tt.func public @unroll_factor_0(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 0 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_factor_1(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_factor_2(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_factor_3(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 3 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_stages(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_all_marks(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32, tt.warp_specialize}
  tt.return %0 : f32
}

tt.func public @unroll_known(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %c8_i32 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_known_rest(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %c7_i32 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_known_all(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %c8_i32 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 8 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_step(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c2_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_wide(%arg0: !tt.ptr<f32>, %arg1: i64, %arg2: i64, %arg3: f32) -> f32 {
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %c2_i64 = arith.constant 2 : i64
  %c7_i64 = arith.constant 7 : i64
  %c8_i64 = arith.constant 8 : i64
  %0 = scf.for %arg4 = %c0_i64 to %arg1 step %c1_i64 iter_args(%arg5 = %arg3) -> (f32)  : i64 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i64
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_unsigned(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for unsigned %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_nested(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.for %arg6 = %c0_i32 to %arg1 step %c1_i32  : i32 {
      tt.store %1, %3 : !tt.ptr<f32>
    } {tt.loop_unroll_factor = 3 : i32}
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_nested_inner_only(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.for %arg6 = %c0_i32 to %arg1 step %c1_i32  : i32 {
      tt.store %1, %3 : !tt.ptr<f32>
    } {tt.loop_unroll_factor = 3 : i32, tt.num_stages = 4 : i32}
    scf.yield %3 : f32
  }
  tt.return %0 : f32
}

tt.func public @unroll_unused_induction(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg1 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_no_mark(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: f32) -> f32 {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c7_i32 = arith.constant 7 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = scf.for %arg4 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg5 = %arg3) -> (f32)  : i32 {
    %1 = tt.addptr %arg0, %arg4 : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %arg5, %2 : f32
    scf.yield %3 : f32
  } {tt.num_stages = 2 : i32}
  tt.return %0 : f32
}

tt.func public @unroll_while_marked(%arg0: i32) -> i32 {
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %0 = scf.while (%arg1 = %c0_i32) : (i32) -> i32 {
    %1 = arith.cmpi slt, %arg1, %arg0 : i32
    scf.condition(%1) %arg1 : i32
  } do {
  ^bb0(%arg1: i32):
    %1 = arith.addi %arg1, %c1_i32 : i32
    scf.yield %1 : i32
  } attributes {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : i32
}
