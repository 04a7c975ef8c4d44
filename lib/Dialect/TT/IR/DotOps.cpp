//===- DotOps.cpp - matrix products -----------------------------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/DotOps.cpp.inc"

void TTDialect::registerDotOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/DotOps.cpp.inc"
      >();
}

LogicalResult DotOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getC().getType());
  return success();
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  int64_t rank = c.getRank();
  if (rank != 2 && rank != 3)
    return emitOpError("expects rank of the accumulator (") << rank << ") to be 2 or 3";
  if (a.getRank() != rank || b.getRank() != rank)
    return emitOpError("expects ranks of lhs (")
           << a.getRank() << ") and rhs (" << b.getRank() << ") to be the accumulator's (" << rank << ")";
  if (a.getDimSize(rank - 1) != b.getDimSize(rank - 2))
    return emitOpError("expects lhs columns (")
           << a.getDimSize(rank - 1) << ") to equal rhs rows (" << b.getDimSize(rank - 2) << ")";
  if (a.getDimSize(rank - 2) != c.getDimSize(rank - 2))
    return emitOpError("expects lhs rows (")
           << a.getDimSize(rank - 2) << ") to equal the accumulator's rows (" << c.getDimSize(rank - 2) << ")";
  if (b.getDimSize(rank - 1) != c.getDimSize(rank - 1))
    return emitOpError("expects rhs columns (")
           << b.getDimSize(rank - 1) << ") to equal the accumulator's columns (" << c.getDimSize(rank - 1) << ")";
  if (rank == 3 && (a.getDimSize(0) != c.getDimSize(0) || b.getDimSize(0) != c.getDimSize(0)))
    return emitOpError("expects batches of lhs (") << a.getDimSize(0) << ") and rhs (" << b.getDimSize(0)
                                                   << ") to equal the accumulator's (" << c.getDimSize(0) << ")";
  Type left = a.getElementType(), right = b.getElementType(), sum = c.getElementType();
  if (isa<FloatType>(left) != isa<FloatType>(right) || left.getIntOrFloatBitWidth() != right.getIntOrFloatBitWidth())
    return emitOpError("expects element types of lhs (")
           << left << ") and rhs (" << right << ") to be floats, or integers, of one width";
  if (isa<FloatType>(left) != isa<FloatType>(sum))
    return emitOpError("expects the accumulator's elements (") << sum << ") to be floats as the operands' are, or "
                                                               << "integers as they are (" << left << ")";
  return success();
}
