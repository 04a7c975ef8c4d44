//===- AtomicOps.cpp - Atomic accesses --------------------------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/AtomicOps.cpp.inc"

void TTDialect::registerAtomicOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/AtomicOps.cpp.inc"
      >();
}

bool blockdsl::isAtomic(Operation *op) {
  return isa<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp, AtomicPollOp>(op);
}

bool blockdsl::hasAtomics(Operation *function) {
  auto find = [](Operation *op) { return isAtomic(op) ? WalkResult::interrupt() : WalkResult::advance(); };
  return function->walk(find).wasInterrupted();
}

/// Returns the pointee type of `ptr`, or an arbitrary type if it is no pointer.
static Type getLoadedType(Value ptr) {
  Type pointee = getPointeeType(ptr.getType());
  return pointee ? pointee : ptr.getType();
}

/// Verifies the result type, and that elements can be accessed atomically: they are integers of whole bytes, or floats
/// with arithmetic on every machine.
static LogicalResult verifyAccess(Operation *op, Value ptr, Type expected, bool mayBeFloat) {
  if (op->getNumResults() != 0 && op->getResult(0).getType() != expected)
    return op->emitOpError("expects result type (") << op->getResult(0).getType() << ") to be " << expected;
  Type element = getElementTypeOrSelf(getLoadedType(ptr));
  bool isWholeInteger = element.isInteger(8) || element.isInteger(16) || element.isInteger(32) || element.isInteger(64);
  bool isKnownFloat = element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  if (isWholeInteger || (mayBeFloat && isKnownFloat))
    return success();
  return op->emitOpError("expects elements in memory (")
         << element << ") to be integers of 8 to 64 bits" << (mayBeFloat ? ", or f16, bf16, f32 or f64" : "");
}

static LogicalResult verifySemantic(Operation *op, MemSemantic semantic, MemSemantic excluded) {
  if (semantic != excluded && semantic != MemSemantic::AcquireRelease)
    return success();
  return op->emitOpError("expects its semantic (")
         << stringifyMemSemantic(semantic) << ") to be relaxed or "
         << stringifyMemSemantic(excluded == MemSemantic::Release ? MemSemantic::Acquire : MemSemantic::Release);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

LogicalResult AtomicRMWOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  results.push_back(getLoadedType(adaptor.getPtr()));
  return success();
}

LogicalResult AtomicRMWOp::verify() {
  RMWOp kind = getAtomicRmwOp();
  Type element = getElementTypeOrSelf(getType());
  bool isFloat = isa<FloatType>(element);
  if (kind == RMWOp::FAdd && !isFloat)
    return emitOpError("expects elements of fadd (") << element << ") to be floats";
  bool takesFloats = llvm::is_contained({RMWOp::FAdd, RMWOp::Exchange, RMWOp::Max, RMWOp::Min}, kind);
  if (!takesFloats && isFloat)
    return emitOpError("expects elements of ") << stringifyRMWOp(kind) << " (" << element << ") to be integers";
  return verifyAccess(*this, getPtr(), getLoadedType(getPtr()), /*mayBeFloat=*/true);
}

LogicalResult AtomicCASOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  results.push_back(getLoadedType(adaptor.getPtr()));
  return success();
}

LogicalResult AtomicCASOp::verify() {
  return verifyAccess(*this, getPtr(), getLoadedType(getPtr()), /*mayBeFloat=*/true);
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

LogicalResult AtomicLoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  results.push_back(getLoadedType(adaptor.getPtr()));
  return success();
}

LogicalResult AtomicLoadOp::verify() {
  if (failed(verifySemantic(*this, getSem(), MemSemantic::Release)))
    return failure();
  return verifyAccess(*this, getPtr(), getLoadedType(getPtr()), /*mayBeFloat=*/true);
}

LogicalResult AtomicStoreOp::verify() {
  if (failed(verifySemantic(*this, getSem(), MemSemantic::Acquire)))
    return failure();
  return verifyAccess(*this, getPtr(), getLoadedType(getPtr()), /*mayBeFloat=*/true);
}

LogicalResult AtomicStoreOp::canonicalize(AtomicStoreOp op, PatternRewriter &rewriter) {
  if (!op.getMask() || !matchPattern(op.getMask(), m_Zero()))
    return rewriter.notifyMatchFailure(op, "something may be stored");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AtomicPollOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  results.push_back(getSameShape(adaptor.getExpected().getType(), IntegerType::get(context, 1)));
  return success();
}

LogicalResult AtomicPollOp::verify() {
  if (failed(verifySemantic(*this, getSem(), MemSemantic::Release)))
    return failure();
  Type bools = getSameShape(getExpected().getType(), IntegerType::get(getContext(), 1));
  return verifyAccess(*this, getPtr(), bools, /*mayBeFloat=*/false);
}
