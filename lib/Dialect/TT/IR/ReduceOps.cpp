//===- ReduceOps.cpp - Reductions, scans, histograms and gathers ----------===//
#include "Regions.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/ReduceOps.cpp.inc"

Operation *blockdsl::getSimpleCombiner(Region &region) {
  Block &block = region.front();
  if (block.getOperations().size() != 2 || block.getNumArguments() != 2)
    return nullptr;
  Operation *op = &block.front();
  bool takesBoth = op->getNumOperands() == 2 && op->getNumResults() == 1 &&
                   llvm::is_contained(op->getOperands(), block.getArgument(0)) &&
                   llvm::is_contained(op->getOperands(), block.getArgument(1));
  return takesBoth && block.back().getOperand(0) == op->getResult(0) ? op : nullptr;
}

void TTDialect::registerReduceOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/ReduceOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types and verifiers for both reductions and scans
//===----------------------------------------------------------------------===//

/// Returns the result type of a reduction: the block without the axis, or a scalar.
static Type dropAxis(RankedTensorType block, int64_t axis) {
  if (block.getRank() == 1)
    return block.getElementType();
  SmallVector<int64_t> shape(block.getShape());
  shape.erase(shape.begin() + axis);
  return block.clone(shape);
}

static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis < 0 || axis >= rank)
    return op->emitOpError("expects axis (")
           << axis << ") to be at least 0 and below the operands' rank (" << rank << ")";
  return success();
}

/// Verifies that there are operands of one shape, that the axis is one of theirs, and that each result has the type
/// `resultType(block)`.
static LogicalResult verifyOperands(Operation *op, int64_t axis, function_ref<Type(RankedTensorType)> resultType) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("expects number of operands (0) to be at least 1");
  if (op->getNumResults() != op->getNumOperands())
    return op->emitOpError("expects number of results (")
           << op->getNumResults() << ") to be the number of operands (" << op->getNumOperands() << ")";
  auto first = cast<RankedTensorType>(op->getOperand(0).getType());
  if (failed(verifyAxis(op, axis, first.getRank())))
    return failure();
  for (auto [operand, result] : llvm::zip(op->getOperandTypes(), op->getResultTypes())) {
    auto block = cast<RankedTensorType>(operand);
    if (block.getShape() != first.getShape())
      return op->emitOpError("expects shape of every operand (")
             << block << ") to be that of the first (" << first << ")";
    if (result != resultType(block))
      return op->emitOpError("expects result type (") << result << ") to be " << resultType(block);
  }
  return success();
}

/// Verifies that the region takes two elements of every operand, returns one, and has no side effects.
template <typename ReturnOp> static LogicalResult verifyCombine(Operation *op) {
  SmallVector<Type> elements;
  for (Type block : op->getOperandTypes())
    elements.push_back(getElementTypeOrSelf(block));
  SmallVector<Type> arguments(elements);
  arguments.append(elements);

  Block &body = op->getRegion(0).front();
  if (TypeRange(body.getArgumentTypes()) != TypeRange(arguments))
    return op->emitOpError("expects types of the region's arguments (")
           << body.getArgumentTypes() << ") to be the operands' elements, twice (" << TypeRange(arguments) << ")";
  auto end = dyn_cast<ReturnOp>(body.getTerminator());
  if (!end)
    return op->emitOpError("expects the region to end with ") << ReturnOp::getOperationName();
  if (TypeRange(end.getOperandTypes()) != TypeRange(elements))
    return end.emitOpError("expects types of operands (")
           << end.getOperandTypes() << ") to be the elements that are combined (" << TypeRange(elements) << ")";
  return verifyRegionWithoutEffects(op);
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  IntegerAttr axis = adaptor.getAxisAttr();
  for (Value operand : adaptor.getSrcs()) {
    auto block = dyn_cast<RankedTensorType>(operand.getType());
    bool valid = block && axis && axis.getInt() >= 0 && axis.getInt() < block.getRank();
    results.push_back(valid ? dropAxis(block, axis.getInt()) : operand.getType());
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  int64_t axis = getAxisAttr().getInt();
  return verifyOperands(*this, axis, [&](RankedTensorType block) { return dropAxis(block, axis); });
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine<ReduceReturnOp>(*this); }

/// Replaces a reduction along an axis of size one by its operand.
LogicalResult ReduceOp::canonicalize(ReduceOp op, PatternRewriter &rewriter) {
  if (cast<RankedTensorType>(op.getSrcs().front().getType()).getDimSize(op.getAxis()) != 1)
    return rewriter.notifyMatchFailure(op, "axis has several elements");
  SmallVector<Value> results;
  for (auto [source, result] : llvm::zip(op.getSrcs(), op.getResults())) {
    if (isa<RankedTensorType>(result.getType()))
      results.push_back(ReshapeOp::create(rewriter, op.getLoc(), result.getType(), source));
    else
      results.push_back(UnsplatOp::create(rewriter, op.getLoc(), source));
  }
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  llvm::append_range(results, adaptor.getSrcs().getTypes());
  return success();
}

LogicalResult ScanOp::verify() {
  return verifyOperands(*this, getAxisAttr().getInt(), [](RankedTensorType block) { return block; });
}

LogicalResult ScanOp::verifyRegions() { return verifyCombine<ScanReturnOp>(*this); }

LogicalResult ScanOp::canonicalize(ScanOp op, PatternRewriter &rewriter) {
  if (cast<RankedTensorType>(op.getSrcs().front().getType()).getDimSize(op.getAxis()) != 1)
    return rewriter.notifyMatchFailure(op, "axis has several elements");
  rewriter.replaceOp(op, op.getSrcs());
  return success();
}

//===----------------------------------------------------------------------===//
// Histograms and gathers
//===----------------------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  if (source.getRank() != 1)
    return emitOpError("expects rank of the operand (") << source.getRank() << ") to be 1";
  if (getType().getRank() != 1)
    return emitOpError("expects rank of the result (") << getType().getRank() << ") to be 1";
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(getSameShape(adaptor.getIndices().getType(), getElementTypeOrSelf(adaptor.getSrc().getType())));
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  int64_t axis = getAxisAttr().getInt();
  if (indices.getRank() != source.getRank())
    return emitOpError("expects rank of the indices (")
           << indices.getRank() << ") to be that of src (" << source.getRank() << ")";
  if (failed(verifyAxis(*this, axis, source.getRank())))
    return failure();
  for (int64_t i = 0; i < source.getRank(); ++i)
    if (i != axis && indices.getDimSize(i) != source.getDimSize(i))
      return emitOpError("expects size of dimension ") << i << " of the indices (" << indices.getDimSize(i)
                                                       << ") to be that of src (" << source.getDimSize(i) << ")";
  if (getType() != indices.clone(source.getElementType()))
    return emitOpError("expects result (")
           << getType() << ") to have the shape of the indices and the elements of src ("
           << indices.clone(source.getElementType()) << ")";
  return success();
}
