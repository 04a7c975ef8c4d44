//===- DotOps.cpp - Matrix products -----------------------------*- C++ -*-===//
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

//===----------------------------------------------------------------------===//
// Scaled products
//===----------------------------------------------------------------------===//

LogicalResult DotScaledOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getC().getType());
  return success();
}

/// Returns the element type of blocks of `kind`, or null for kinds that are stored as i8.
static Type getElementType(MLIRContext *context, ScaleDotElemType kind) {
  switch (kind) {
  case ScaleDotElemType::E4M3:
    return Float8E4M3FNType::get(context);
  case ScaleDotElemType::E5M2:
    return Float8E5M2Type::get(context);
  case ScaleDotElemType::BF16:
    return BFloat16Type::get(context);
  case ScaleDotElemType::FP16:
    return Float16Type::get(context);
  default:
    return {};
  }
}

namespace {
/// An operand of a scaled dot. Its outer dimension is the rows of lhs or the columns of rhs.
struct ScaledFactor {
  StringRef name;
  RankedTensorType block, scale;
  ScaleDotElemType kind;
  bool isPackedAlongInner, isLeft;

  int64_t rank() const { return block.getRank(); }
  int64_t elementsPerByte(bool alongInner) const {
    return kind == ScaleDotElemType::E2M1 && alongInner == isPackedAlongInner ? 2 : 1;
  }
  int64_t inner() const { return block.getDimSize(rank() - (isLeft ? 1 : 2)) * elementsPerByte(true); }
  int64_t outer() const { return block.getDimSize(rank() - (isLeft ? 2 : 1)) * elementsPerByte(false); }

  LogicalResult verify(Operation *op) const {
    Type known = getElementType(op->getContext(), kind), element = block.getElementType();
    if (known ? element != known : !element.isInteger(8))
      return op->emitOpError("expects elements of ")
             << name << " (" << element << ") to be " << (known ? known : IntegerType::get(op->getContext(), 8))
             << ", as they are " << stringifyScaleDotElemType(kind);
    if (!isPackedAlongInner && kind != ScaleDotElemType::E2M1)
      return op->emitOpError("expects ") << name << " (" << stringifyScaleDotElemType(kind)
                                         << ") to be e2m1 where it is packed along its outer dimension";
    if (!scale)
      return success();
    SmallVector<int64_t> expected(block.getShape().drop_back(2));
    expected.push_back(outer());
    bool hasGroups = scale.getRank() == rank() && scale.getShape().drop_back() == ArrayRef<int64_t>(expected);
    int64_t groups = hasGroups ? scale.getShape().back() : 0;
    if (!hasGroups || (groups * 32 != inner() && groups * 16 != inner()))
      return op->emitOpError("expects scale of ") << name << " (" << scale << ") to have " << outer()
                                                  << " rows, of one for 32 or 16 of " << inner() << " elements";
    return success();
  }
};
} // namespace

LogicalResult DotScaledOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  int64_t rank = c.getRank();
  if ((rank != 2 && rank != 3) || a.getRank() != rank || b.getRank() != rank)
    return emitOpError("expects ranks of lhs (") << a.getRank() << "), rhs (" << b.getRank()
                                                 << ") and the accumulator (" << rank << ") to be all 2, or all 3";
  auto scaleType = [](Value scale) { return scale ? cast<RankedTensorType>(scale.getType()) : RankedTensorType(); };
  ScaledFactor left{"lhs", a, scaleType(getAScale()), getAElemType(), getLhsKPack(), true};
  ScaledFactor right{"rhs", b, scaleType(getBScale()), getBElemType(), getRhsKPack(), false};
  if (failed(left.verify(*this)) || failed(right.verify(*this)))
    return failure();
  if (left.inner() != right.inner())
    return emitOpError("expects lhs columns (")
           << left.inner() << " elements) to equal rhs rows (" << right.inner() << " elements)";
  SmallVector<int64_t> expected(a.getShape().drop_back(2));
  expected.append({left.outer(), right.outer()});
  if (a.getShape().drop_back(2) != b.getShape().drop_back(2) || c.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError("expects shape of the accumulator (")
           << c << ") to be " << left.outer() << " x " << right.outer() << ", with the batches of both factors";
  return success();
}
