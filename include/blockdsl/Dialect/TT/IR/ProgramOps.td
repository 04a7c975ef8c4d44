//===- ProgramOps.td - position of a program in the grid ---*- tablegen -*-===//
// The id of a program, the size of the grid, and waiting for the launches around this one.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_PROGRAMOPS
#define BLOCKDSL_DIALECT_TT_IR_PROGRAMOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_GetProgramIdOp : TT_Op<"get_program_id", [Pure]> {
  let summary = "The position of this program on an axis of the grid";
  let description = [{
    Gives a number from 0 up to, not including, `tt.get_num_programs` of the same axis. It is the same all through one
    program. The order in which programs run is not promised.

    Example:

    ```mlir
    %pid = tt.get_program_id x : i32
    ```
  }];
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GetNumProgramsOp : TT_Op<"get_num_programs", [Pure]> {
  let summary = "The number of programs on an axis of the grid";
  let description = [{
    Gives what the launch named for this axis; an axis that was not named has one program.

    Example:

    ```mlir
    %n = tt.get_num_programs y : i32
    ```
  }];
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GridDependencyWaitOp : TT_Op<"grid_dependency_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for the launches this one depends on";
  let description = [{
    After it, the memory written by the launches before this one is seen. Triton has it since 3.9.

    Example:

    ```mlir
    tt.grid_dependency_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TT_GridDependencyLaunchDependentsOp
    : TT_Op<"grid_dependency_launch_dependents", [MemoryEffects<[MemWrite]>]> {
  let summary = "Lets the launches that depend on this one begin";
  let description = [{
    A hint: what depends on this launch may start before it has ended. Triton has it since 3.9.

    Example:

    ```mlir
    tt.grid_dependency_launch_dependents
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // BLOCKDSL_DIALECT_TT_IR_PROGRAMOPS
