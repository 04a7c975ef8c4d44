//===- ProgramOps.td - Position of a program in the grid ---*- tablegen -*-===//
// The id of a program, the size of the grid, and dependencies between launches.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_PROGRAMOPS
#define BLOCKDSL_DIALECT_TT_IR_PROGRAMOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_GetProgramIdOp : TT_Op<"get_program_id", [Pure]> {
  let summary = "The position of this program on an axis of the grid";
  let description = [{
    Returns a number from 0 up to, not including, `tt.get_num_programs` of the same axis. It is constant within a
    program. The order in which programs run is undefined.

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
    Returns the extent of the launch's grid along this axis. A missing axis has one program.

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
    Memory that previous launches have written is visible after it. Triton has it since 3.9.

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
    A hint: launches that depend on this one may start before it has ended. Triton has it since 3.9.

    Example:

    ```mlir
    tt.grid_dependency_launch_dependents
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // BLOCKDSL_DIALECT_TT_IR_PROGRAMOPS
