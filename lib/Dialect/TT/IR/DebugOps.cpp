//===- DebugOps.cpp - Printing and assertions -------------------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/DebugOps.cpp.inc"

void TTDialect::registerDebugOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/DebugOps.cpp.inc"
      >();
}

LogicalResult PrintOp::verify() {
  // Without operands Triton prints one sign.
  if (getIsSigned().size() != getArgs().size() && !getArgs().empty())
    return emitOpError("expects number of signs (")
           << getIsSigned().size() << ") to be the number of operands (" << getArgs().size() << ")";
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}
