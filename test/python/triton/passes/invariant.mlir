// Loops with invariant computations, as blockdsl-opt prints them.

#loop_licm = #llvm.loop_licm<disable = true>
#loop_annotation = #llvm.loop_annotation<licm = #loop_licm>

tt.func public @invariant_masked(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0, %arg1 : tensor<8x!tt.ptr<f32>>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_other(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0, %arg1, %arg2 : tensor<8x!tt.ptr<f32>>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_scalar(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg4 : !tt.ptr<f32>
    %2 = tt.splat %1 : f32 -> tensor<8xf32>
    %3 = arith.addf %arg7, %2 : tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_volatile(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 {isVolatile = true} : tensor<8x!tt.ptr<f32>>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_store_in_loop(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
    tt.store %arg0, %arg7 : tensor<8x!tt.ptr<f32>>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_print_in_loop(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
    tt.print "x" {hex = false, isSigned = array<i32: 0>} : %arg7 : tensor<8xf32>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_atomic_in_loop(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
    %2 = tt.atomic_rmw fadd, acq_rel, gpu, %arg0, %arg7 : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
    %3 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_under_a_condition(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = scf.if %arg5 -> (tensor<8xf32>) {
      %3 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
      scf.yield %3 : tensor<8xf32>
    } else {
      scf.yield %arg2 : tensor<8xf32>
    }
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_dependent(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 {tt.x = 1 : i32} : tensor<8x!tt.ptr<f32>>
    %cst = arith.constant dense<0.000000e+00> : tensor<8xf32>
    %2 = arith.cmpf ogt, %1, %cst : tensor<8xf32>
    %3 = tt.load %arg0, %2, %cst : tensor<8x!tt.ptr<f32>>
    %4 = arith.addf %arg7, %3 : tensor<8xf32>
    scf.yield %4 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_pure(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = math.exp %arg2 : tensor<8xf32>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_division(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = arith.divsi %arg3, %c1_i32 : i32
    %2 = arith.divsi %c1_i32, %arg3 : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = tt.splat %3 : f32 -> tensor<8xf32>
    %5 = arith.addf %arg7, %4 : tensor<8xf32>
    scf.yield %5 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_extern_pure(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.extern_elementwise %arg2 {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_extern_impure(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.extern_elementwise %arg2 {libname = "", libpath = "", pure = false, symbol = "__nv_expf"} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_reduce(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = "tt.reduce"(%arg2) <{axis = 0 : i32}> ({
    ^bb0(%arg8: f32, %arg9: f32):
      %4 = arith.addf %arg8, %arg9 : f32
      tt.reduce.return %4 : f32
    }) : (tensor<8xf32>) -> f32
    %2 = tt.splat %1 : f32 -> tensor<8xf32>
    %3 = arith.addf %arg7, %2 : tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_disabled(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } {tt.disable_licm}
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_annotated(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } {llvm.loop_annotation = #loop_annotation}
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_annotated_pure(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = math.exp %arg2 : tensor<8xf32>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } {llvm.loop_annotation = #loop_annotation}
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_unsigned(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for unsigned %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_nested(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = scf.for %arg8 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg9 = %arg7) -> (tensor<8xf32>)  : i32 {
      %2 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
      %3 = arith.addf %arg9, %2 : tensor<8xf32>
      scf.yield %3 : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_nested_with_store_outside(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    tt.store %arg0, %arg7 : tensor<8x!tt.ptr<f32>>
    %1 = scf.for %arg8 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg9 = %arg7) -> (tensor<8xf32>)  : i32 {
      %2 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
      %3 = arith.addf %arg9, %2 : tensor<8xf32>
      scf.yield %3 : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_call_in_loop(%arg0: tensor<8x!tt.ptr<f32>>, %arg1: tensor<8xi1>, %arg2: tensor<8xf32>, %arg3: i32, %arg4: !tt.ptr<f32>, %arg5: i1) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg6 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg7 = %arg2) -> (tensor<8xf32>)  : i32 {
    %1 = tt.load %arg0 : tensor<8x!tt.ptr<f32>>
    tt.call @f(%arg4) : (!tt.ptr<f32>) -> ()
    %2 = arith.addf %arg7, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}
tt.func private @f(%arg0: !tt.ptr<f32>) {
  tt.return
}

tt.func public @invariant_descriptor_load(%arg0: !tt.tensordesc<8xf32>, %arg1: tensor<8xf32>, %arg2: i32) -> tensor<8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.for %arg3 = %c0_i32 to %arg2 step %c1_i32 iter_args(%arg4 = %arg1) -> (tensor<8xf32>)  : i32 {
    %1 = tt.descriptor_load %arg0[%c0_i32] : !tt.tensordesc<8xf32> -> tensor<8xf32>
    %2 = arith.addf %arg4, %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

tt.func public @invariant_in_a_while(%arg0: !tt.ptr<i32>, %arg1: i32, %arg2: f32) -> (i32, f32) {
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant 0.000000e+00 : f32
  %0:2 = scf.while (%arg3 = %c0_i32, %arg4 = %cst) : (i32, f32) -> (i32, f32) {
    %1 = arith.cmpi slt, %arg3, %arg1 : i32
    scf.condition(%1) %arg3, %arg4 : i32, f32
  } do {
  ^bb0(%arg3: i32, %arg4: f32):
    %1 = tt.load %arg0 : !tt.ptr<i32>
    %2 = math.exp %arg2 : f32
    %3 = arith.addf %arg4, %2 : f32
    %4 = arith.addi %arg3, %1 : i32
    scf.yield %4, %3 : i32, f32
  }
  tt.return %0#0, %0#1 : i32, f32
}

tt.func public @invariant_spin(%arg0: !tt.ptr<i32>, %arg1: i32) -> i32 {
  %c1_i32 = arith.constant 1 : i32
  %0 = scf.while : () -> i32 {
    %1 = tt.load %arg0 : !tt.ptr<i32>
    %2 = arith.cmpi slt, %1, %arg1 : i32
    scf.condition(%2) %1 : i32
  } do {
  ^bb0(%arg2: i32):
    scf.yield
  }
  tt.return %0 : i32
}
