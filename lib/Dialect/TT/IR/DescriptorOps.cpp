//===- DescriptorOps.cpp - Accesses through tensor descriptors --*- C++ -*-===//
#include "CacheHints.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/DescriptorOps.cpp.inc"

void TTDialect::registerDescriptorOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/DescriptorOps.cpp.inc"
      >();
}

/// Verifies the number of indices and the type of a block that is accessed through a descriptor.
static LogicalResult verifyBlockAccess(Operation *op, TensorDescType desc, size_t indices, Type type) {
  if (static_cast<int64_t>(indices) != desc.getRank())
    return op->emitOpError("expects number of indices (")
           << indices << ") to be the descriptor's rank (" << desc.getRank() << ")";
  RankedTensorType whole = desc.getBlockType();
  auto block = cast<RankedTensorType>(type);
  ArrayRef<int64_t> inner = whole.getShape();
  while (static_cast<int64_t>(inner.size()) > block.getRank() && inner.front() == 1)
    inner = inner.drop_front();
  if (block.getShape() != inner || block.getElementType() != whole.getElementType())
    return op->emitOpError("expects type of block (")
           << block << ") to be the descriptor's (" << whole << "), but for leading dimensions of size 1";
  return success();
}

LogicalResult MakeTensorDescriptorOp::verify() {
  TensorDescType desc = getType();
  if (static_cast<int64_t>(getShape().size()) != desc.getRank())
    return emitOpError("expects number of sizes and strides (")
           << getShape().size() << ") to be the block's rank (" << desc.getRank() << ")";
  RankedTensorType block = desc.getBlockType();
  Type pointee = getPointeeType(getBase().getType());
  if (pointee != block.getElementType())
    return emitOpError("expects what base points to (")
           << pointee << ") to be the block's element type (" << block.getElementType() << ")";
  if (getPadding() == PaddingOption::NaN && !isa<FloatType>(pointee))
    return emitOpError("expects element type (") << pointee << ") to be a float when padding is nan";
  return verifyBlockSize(*this, block);
}

//===----------------------------------------------------------------------===//
// Accesses to blocks
//===----------------------------------------------------------------------===//

ParseResult DescriptorLoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand desc;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  Type type, block;
  if (parser.parseOperand(desc) || parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
      parseCacheHints(parser, result))
    return failure();
  SMLoc attributes = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      failed(verifyInherentAttrs(result.name, result.attributes, [&] { return parser.emitError(attributes); })) ||
      parser.parseColonType(type) || parser.parseArrow() || parser.parseType(block))
    return failure();
  result.addTypes(block);
  return failure(parser.resolveOperand(desc, type, result.operands) ||
                 parser.resolveOperands(indices, parser.getBuilder().getI32Type(), result.operands));
}

void DescriptorLoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getDesc() << '[' << getIndices() << ']';
  printAttributes(printer, *this, getCachePolicyAttr(), {});
  printer << " : " << getDesc().getType() << " -> " << getType();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyBlockAccess(*this, getDesc().getType(), getIndices().size(), getType());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyBlockAccess(*this, getDesc().getType(), getIndices().size(), getSrc().getType());
}

LogicalResult DescriptorReduceOp::verify() {
  DescriptorReduceKind kind = getKind();
  bool isArithmetic =
      kind == DescriptorReduceKind::Add || kind == DescriptorReduceKind::Min || kind == DescriptorReduceKind::Max;
  Type element = getDesc().getType().getElementType();
  if (!isArithmetic && !isa<IntegerType>(element))
    return emitOpError("expects element type (")
           << element << ") to be an integer when the kind is " << stringifyDescriptorReduceKind(kind);
  return verifyBlockAccess(*this, getDesc().getType(), getIndices().size(), getSrc().getType());
}

//===----------------------------------------------------------------------===//
// Accesses to rows
//===----------------------------------------------------------------------===//

static LogicalResult verifyRows(Operation *op, TensorDescType desc, Type offsets, Type rows) {
  RankedTensorType block = desc.getBlockType();
  if (block.getRank() != 2 || block.getDimSize(0) != 1)
    return op->emitOpError("expects descriptor's block (") << block << ") to be one row of a matrix";
  auto lines = cast<RankedTensorType>(offsets);
  if (lines.getRank() != 1)
    return op->emitOpError("expects offsets of rows (") << lines << ") to be of rank 1";
  auto expected = block.clone({lines.getDimSize(0), block.getDimSize(1)});
  if (rows != expected)
    return op->emitOpError("expects type of rows (") << rows << ") to be " << expected;
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getSrc().getType());
}
