//===- BarrierOps.td - ttg.barrier, an op of Triton's GPU dialect ---------===//
// Triton 3.7 and later print tl.debug_barrier as `ttg.barrier`; 3.6 prints upstream's `gpu.barrier`.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_BARRIEROPS
#define BLOCKDSL_DIALECT_TT_IR_BARRIEROPS

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::blockdsl";
  let summary = "The op of Triton's GPU dialect that front ends emit";
  let description = [{
    Only `ttg.barrier`: front ends emit no other op of Triton's GPU dialect.
  }];
}

def TTG_Local : I32BitEnumAttrCaseBit<"Local", 0, "local">;
def TTG_GlobalRead : I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">;
def TTG_GlobalWrite : I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">;
def TTG_TensorRead : I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">;
def TTG_TensorWrite : I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">;

def TTG_BarrierScope : I32BitEnumAttr<"BarrierScope", "the memory a barrier orders", [
  I32BitEnumAttrCaseNone<"None", "none">, TTG_Local, TTG_GlobalRead, TTG_GlobalWrite, TTG_TensorRead, TTG_TensorWrite,
  I32BitEnumAttrCaseGroup<"All", [TTG_Local, TTG_GlobalRead, TTG_GlobalWrite, TTG_TensorRead, TTG_TensorWrite], "all">,
]> {
  let cppNamespace = "::blockdsl";
  let separator = "|";
  let printBitEnumPrimaryGroups = 1;
}

def TTG_BarrierOp : Op<TTG_Dialect, "barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all threads of a program";
  let description = [{
    On a GPU, accesses to the given memory by the threads of a program before the barrier are visible to all of them
    after it. On a CPU a program has one thread, and the barrier has no effect.

    Example:

    ```mlir
    ttg.barrier all
    ttg.barrier local|global_write
    ```
  }];
  let arguments = (ins TTG_BarrierScope:$addrSpace);
  let assemblyFormat = "custom<BarrierScope>($addrSpace) attr-dict";
  let extraClassDeclaration = [{
    /// Replaces the generated function. The op has another name in text for Triton 3.6, and names are printed before
    /// the `print` method is called.
    static ::mlir::OperationName::PrintAssemblyFn getPrintAssemblyFn();
  }];
}

#endif // BLOCKDSL_DIALECT_TT_IR_BARRIEROPS
