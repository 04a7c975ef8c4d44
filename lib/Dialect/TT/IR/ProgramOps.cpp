//===- ProgramOps.cpp - Position of a program in the grid -------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/ProgramOps.cpp.inc"

void TTDialect::registerProgramOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/ProgramOps.cpp.inc"
      >();
}
