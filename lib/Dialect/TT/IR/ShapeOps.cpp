//===- ShapeOps.cpp - Type inference and verifiers of shape ops -*- C++ -*-===//
// Folders are in ShapeFolds.cpp.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/ShapeOps.cpp.inc"

void TTDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/ShapeOps.cpp.inc"
      >();
}

static RankedTensorType getBlock(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Infers an arbitrary type for an invalid op. The verifier emits the error.
static LogicalResult inferAnyType(Value operand, SmallVectorImpl<Type> &results) {
  results.push_back(operand.getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Creation of blocks
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  int64_t size = 1;
  if (adaptor.getStartAttr() && adaptor.getEndAttr())
    size = std::max<int64_t>(1, adaptor.getEndAttr().getInt() - adaptor.getStartAttr().getInt());
  results.push_back(RankedTensorType::get({size}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult MakeRangeOp::verify() {
  int64_t start = getStartAttr().getInt(), end = getEndAttr().getInt();
  if (end <= start)
    return emitOpError("expects end (") << end << ") to be greater than start (" << start << ")";
  if (getType().getRank() != 1 || getType().getDimSize(0) != end - start)
    return emitOpError("expects result (") << getType() << ") to be a block of " << end - start << " integers";
  return success();
}

LogicalResult SplatOp::verify() {
  auto block = dyn_cast<RankedTensorType>(getSrc().getType());
  if (block && block.getRank() != 0)
    return emitOpError("expects operand (") << block << ") to be a scalar, or a block without dimensions";
  if (getElementTypeOrSelf(getSrc()) != getType().getElementType())
    return emitOpError("expects type of the operand (")
           << getSrc().getType() << ") to be the result's element type (" << getType().getElementType() << ")";
  return success();
}

LogicalResult UnsplatOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  auto block = dyn_cast<RankedTensorType>(adaptor.getSrc().getType());
  if (!block)
    return inferAnyType(adaptor.getSrc(), results);
  results.push_back(block.getElementType());
  return success();
}

LogicalResult UnsplatOp::verify() {
  if (getBlock(getSrc()).getNumElements() != 1)
    return emitOpError("expects operand (") << getSrc().getType() << ") to have one element";
  if (getType() != getBlock(getSrc()).getElementType())
    return emitOpError("expects result type (")
           << getType() << ") to be the operand's element type (" << getBlock(getSrc()).getElementType() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Changes of shape
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  auto block = dyn_cast<RankedTensorType>(adaptor.getSrc().getType());
  IntegerAttr axis = adaptor.getAxisAttr();
  if (!block || !axis || axis.getInt() < 0 || axis.getInt() > block.getRank())
    return inferAnyType(adaptor.getSrc(), results);
  SmallVector<int64_t> shape(block.getShape());
  shape.insert(shape.begin() + axis.getInt(), 1);
  results.push_back(block.clone(shape));
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  int64_t axis = getAxisAttr().getInt(), rank = getBlock(getSrc()).getRank();
  if (axis < 0 || axis > rank)
    return emitOpError("expects axis (") << axis << ") to be at least 0 and at most the operand's rank (" << rank
                                         << ")";
  SmallVector<int64_t> shape(getBlock(getSrc()).getShape());
  shape.insert(shape.begin() + axis, 1);
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError("expects result (")
           << getType() << ") to be the operand (" << getSrc().getType() << ") with a dimension of size 1 at " << axis;
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getBlock(getSrc());
  if (source.getRank() != getType().getRank())
    return emitOpError("expects rank of the operand (")
           << source.getRank() << ") to equal that of the result (" << getType().getRank() << ")";
  for (auto [i, from, to] : llvm::enumerate(source.getShape(), getType().getShape()))
    if (from != 1 && from != to)
      return emitOpError("expects size of dimension ")
             << i << " (" << from << ") to be 1 or that of the result (" << to << ")";
  return success();
}

LogicalResult ReshapeOp::verify() {
  if (getBlock(getSrc()).getNumElements() != getType().getNumElements())
    return emitOpError("expects number of elements of the operand (")
           << getBlock(getSrc()).getNumElements() << ") to equal that of the result (" << getType().getNumElements()
           << ")";
  return success();
}

/// Returns the order as a permutation, or nothing if it does not name each dimension of the block once.
static std::optional<SmallVector<int64_t>> getPermutation(DenseI32ArrayAttr order, RankedTensorType block) {
  if (!order || !block || order.size() != block.getRank())
    return std::nullopt;
  SmallVector<int64_t> permutation(order.asArrayRef());
  if (!isPermutationVector(permutation))
    return std::nullopt;
  return permutation;
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  auto block = dyn_cast<RankedTensorType>(adaptor.getSrc().getType());
  auto permutation = getPermutation(adaptor.getOrderAttr(), block);
  if (!permutation)
    return inferAnyType(adaptor.getSrc(), results);
  results.push_back(block.clone(applyPermutation(block.getShape(), *permutation)));
  return success();
}

LogicalResult TransOp::verify() {
  RankedTensorType block = getBlock(getSrc());
  auto permutation = getPermutation(getOrderAttr(), block);
  if (!permutation)
    return emitOpError("expects order (")
           << getOrder() << ") to name each of the operand's " << block.getRank() << " dimensions once";
  SmallVector<int64_t> shape = applyPermutation(block.getShape(), *permutation);
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError("expects result (") << getType() << ") to be the operand (" << block
                                           << ") with its dimensions in the given order (" << getOrder() << ")";
  return success();
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  auto block = dyn_cast<RankedTensorType>(adaptor.getLhs().getType());
  if (!block)
    return inferAnyType(adaptor.getLhs(), results);
  SmallVector<int64_t> shape(block.getShape());
  shape.push_back(2);
  results.push_back(block.clone(shape));
  return success();
}

LogicalResult JoinOp::verify() {
  SmallVector<int64_t> shape(getBlock(getLhs()).getShape());
  shape.push_back(2);
  if (getType() != getBlock(getLhs()).clone(shape))
    return emitOpError("expects result (")
           << getType() << ") to be the operands' type (" << getLhs().getType() << ") with a last dimension of size 2";
  return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  auto block = dyn_cast<RankedTensorType>(adaptor.getSrc().getType());
  Type half = block && block.getRank() > 0 ? block.clone(block.getShape().drop_back()) : adaptor.getSrc().getType();
  results.assign({half, half});
  return success();
}

LogicalResult SplitOp::verify() {
  RankedTensorType block = getBlock(getSrc());
  if (block.getRank() == 0 || block.getShape().back() != 2)
    return emitOpError("expects last dimension of the operand (") << block << ") to have size 2";
  for (Type half : getResultTypes())
    if (half != block.clone(block.getShape().drop_back()))
      return emitOpError("expects result (")
             << half << ") to be the operand (" << block << ") without its last dimension";
  return success();
}

LogicalResult CatOp::verify() {
  RankedTensorType block = getBlock(getLhs());
  if (block.getRank() == 0)
    return emitOpError("expects rank of the operands (0) to be at least 1");
  SmallVector<int64_t> shape(block.getShape());
  shape[0] *= 2;
  if (getType() != block.clone(shape))
    return emitOpError("expects result (")
           << getType() << ") to be the operands' type (" << block << ") with twice the size in dimension 0";
  return success();
}
