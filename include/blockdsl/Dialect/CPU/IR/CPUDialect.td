//===- CPUDialect.td - The cpu dialect ---------------------*- tablegen -*-===//
//
// Loop nests over blocks, with the decisions about them as attributes.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_DIALECT_CPU_IR_CPUDIALECT
#define BLOCKDSL_DIALECT_CPU_IR_CPUDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def CPU_Dialect : Dialect {
  let name = "cpu";
  let cppNamespace = "::blockdsl::cpu";
  let summary = "The plan of a kernel: loop nests and decisions about them";
  let description = [{
    `convert-linalg-to-nests` partitions a kernel into nests, and the passes of this dialect choose how each of them
    runs. `convert-nests-to-loops` emits the loops and makes no decisions. A plan can be edited as text in between.

    `cpu.nest` is one loop nest over the elements of a block, or one matmul, scan, histogram or atomic access. Its
    region has the ops that it computes for each element. Ops on blocks outside of nests are fused into their users:
    each nest computes them for its own elements. A block is in memory if it is the result of a nest, of a loop or of a
    branch, or an argument of a loop's body.
  }];
  let useDefaultAttributePrinterParser = 1;
}

#endif // BLOCKDSL_DIALECT_CPU_IR_CPUDIALECT
