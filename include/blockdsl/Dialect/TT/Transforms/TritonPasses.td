//===- TritonPasses.td - passes that Triton has, too -----------*- tablegen -*-===//
// Under Triton's flags, for texts that name them. No pipeline of ours does.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_TRANSFORMS_TRITONPASSES
#define BLOCKDSL_DIALECT_TT_TRANSFORMS_TRITONPASSES

include "mlir/Pass/PassBase.td"

def CombinePass : Pass<"triton-combine"> {
  let summary = "Ops that say together what one op says";
  let description = [{
    Under Triton's flag, for texts that name it: a sum of a product without accumulator and a block is a product with
    it; a block chosen by the condition under which it was loaded is a load with `other`; an address that is moved twice is
    moved once; a sum of elementwise products of two broadcast matrices of f32, of 16 by 16 and more, is a product of them;
    a block reshaped to a line that is only added up or counted may be in any order; a descriptor's block is loaded
    without the leading dimensions of size 1 that a reshape takes away.

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
  let summary = "Computes before elements are repeated";
  let description = [{
    Under Triton's flag, for texts that name it: an elementwise op of blocks that are splats, or that are broadcast from
    one shape beside splats and constants of one value, is computed on the smaller shape and its result is repeated.

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
  let summary = "Moves out of loops what every turn computes alike";
  let description = [{
    Under Triton's flag, for texts that name it. Loads are moved too, where the loop writes nothing: they are made only if
    the loop has a turn. A loop whose `llvm.loop_annotation` disables it is left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LoopUnrollPass : Pass<"triton-loop-unroll"> {
  let summary = "Writes several turns of a loop after each other";
  let description = [{
    Under Triton's flag, for texts that name it: a loop that is marked `tt.loop_unroll_factor = n : i32` becomes one of n
    turns each, and one for the turns left, which has `tt.num_stages = 1 : i32`. The mark is gone. With n less than 2 the
    loop stays as it is.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LoopAwareCSEPass : Pass<"triton-loop-aware-cse"> {
  let summary = "Finds equal values that loops carry, and equal computations";
  let description = [{
    Under Triton's flag, for texts that name it: values that a loop carries are one if they begin as one and every turn
    makes the same of both, whatever it makes of the others. Then equal ops are one.
  }];
}

#endif // BLOCKDSL_DIALECT_TT_TRANSFORMS_TRITONPASSES
