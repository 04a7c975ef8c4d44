//===- TritonPasses.td - Equivalents of Triton's passes ----*- tablegen -*-===//
// They have Triton's flags, for texts and tools that name these. No pipeline of blockdsl contains them.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_TRANSFORMS_TRITONPASSES
#define BLOCKDSL_DIALECT_TT_TRANSFORMS_TRITONPASSES

include "mlir/Pass/PassBase.td"

def CombinePass : Pass<"triton-combine"> {
  let summary = "Combines ops into equivalent single ops";
  let description = [{
    Triton's pass of this name. The sum of a dot without accumulator and a block becomes a dot with accumulator; a
    select on the condition of a load's mask becomes a load with `other`; two pointer additions become one; a sum of
    elementwise products of two broadcast matrices of f32, of at least 16 by 16, becomes a dot; a reshape to one
    dimension may reorder elements that are only summed up or counted; a load through a descriptor leaves out the
    leading dimensions of size 1 that a reshape would remove.

    Example:

    ```mlir
    %d = tt.dot %a, %b, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %e = arith.addf %d, %c : tensor<16x16xf32>
    // becomes
    %e = tt.dot %a, %b, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReorderBroadcastPass : Pass<"triton-reorder-broadcast"> {
  let summary = "Moves elementwise ops before broadcasts";
  let description = [{
    Triton's pass of this name. An elementwise op is computed on the smaller shape, and its result is broadcast, if all
    operands are splats, or if they are broadcasts from one shape, splats and splat constants.

    Example:

    ```mlir
    %x = tt.splat %a : f32 -> tensor<64xf32>
    %y = math.absf %x : tensor<64xf32>
    // becomes
    %y = math.absf %a : f32
    %z = tt.splat %y : f32 -> tensor<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LoopInvariantCodeMotionPass : Pass<"triton-licm"> {
  let summary = "Hoists loop-invariant ops";
  let description = [{
    Triton's pass of this name. Loads are hoisted from `scf.for` loops that write nothing, and masked off if the loop
    has no iterations. A loop whose `llvm.loop_annotation` disables the pass is unchanged.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LoopUnrollPass : Pass<"triton-loop-unroll"> {
  let summary = "Unrolls loops by a factor";
  let description = [{
    Triton's pass of this name. A loop with `tt.loop_unroll_factor = n : i32` is unrolled n times, and a loop for the
    remaining iterations has `tt.num_stages = 1 : i32`. The attribute is removed. A loop with n less than 2 is
    unchanged.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LoopAwareCSEPass : Pass<"triton-loop-aware-cse"> {
  let summary = "Eliminates equal iteration arguments and common subexpressions";
  let description = [{
    Triton's pass of this name. Iteration arguments are united if they have the same initial value and equal yielded
    values, under the assumption that they are equal themselves. Then common subexpressions are eliminated.
  }];
}

#endif // BLOCKDSL_DIALECT_TT_TRANSFORMS_TRITONPASSES
