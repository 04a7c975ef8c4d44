//===- TTOps.td - All ops of the tt dialect ----------------*- tablegen -*-===//
// Includes only, in the order of the documentation.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_TTOPS
#define BLOCKDSL_DIALECT_TT_IR_TTOPS

include "blockdsl/Dialect/TT/IR/ProgramOps.td"
include "blockdsl/Dialect/TT/IR/MemoryOps.td"
include "blockdsl/Dialect/TT/IR/AtomicOps.td"
include "blockdsl/Dialect/TT/IR/DescriptorOps.td"
include "blockdsl/Dialect/TT/IR/ElementwiseOps.td"
include "blockdsl/Dialect/TT/IR/ShapeOps.td"
include "blockdsl/Dialect/TT/IR/ReduceOps.td"
include "blockdsl/Dialect/TT/IR/DotOps.td"
include "blockdsl/Dialect/TT/IR/DebugOps.td"
include "blockdsl/Dialect/TT/IR/ControlOps.td"

#endif // BLOCKDSL_DIALECT_TT_IR_TTOPS
