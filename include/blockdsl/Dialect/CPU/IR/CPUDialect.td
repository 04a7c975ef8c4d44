//===- CPUDialect.td - the cpu dialect ---------------------*- tablegen -*-===//
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
  let summary = "The plan of a kernel: loop nests, and the decisions about them";
  let description = [{
    `convert-linalg-to-nests` decides which nests there are, and the passes of this dialect how each of them runs;
    `convert-nests-to-loops` writes the loops and takes no decision. A plan may be edited as text in between.

    `cpu.nest` is one loop nest over the elements of a block, or one matmul, scan, histogram or atomic access. Its region
    holds the ops that it computes for each element. Ops on blocks outside of a nest are not computed where they are:
    each nest that uses their results computes them for its own elements. A block is in memory if it is the result of a
    nest, of a loop or of a branch, or an argument of a loop's body.
  }];
  let useDefaultAttributePrinterParser = 1;
}

#endif // BLOCKDSL_DIALECT_CPU_IR_CPUDIALECT
