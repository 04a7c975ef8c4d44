//===- StridedBlock.cpp - A block of a strided array ------------*- C++ -*-===//
#include "StridedBlock.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace blockdsl {

/// Sign-extends an integer to 64 bits.
static Value widen(OpBuilder &b, Location loc, Value integer) {
  Type wide = getSameShape(integer.getType(), b.getI64Type());
  return integer.getType() == wide ? integer : Value(arith::ExtSIOp::create(b, loc, wide, integer));
}

Value createRange(OpBuilder &b, Location loc, Value start, int64_t size) {
  auto type = RankedTensorType::get({size}, b.getI64Type());
  Value range = MakeRangeOp::create(b, loc, type.clone(b.getI32Type()), 0, static_cast<uint32_t>(size));
  Value first = SplatOp::create(b, loc, type, widen(b, loc, start));
  return arith::AddIOp::create(b, loc, widen(b, loc, range), first);
}

/// Broadcasts the indices of one dimension to the whole shape.
static Value spread(OpBuilder &b, Location loc, Value indices, ArrayRef<int64_t> shape, int64_t dim) {
  auto type = cast<RankedTensorType>(indices.getType());
  SmallVector<int64_t> extents(shape.size(), 1);
  extents[dim] = shape[dim];
  Value index = ReshapeOp::create(b, loc, type.clone(extents), indices);
  return BroadcastOp::create(b, loc, type.clone(shape), index);
}

Addresses createAddresses(OpBuilder &b, Location loc, const StridedBlock &block, ArrayRef<int32_t> checked) {
  ArrayRef<int64_t> shape = block.type.getShape();
  Addresses at;
  at.pointers = SplatOp::create(b, loc, RankedTensorType::get(shape, block.base.getType()), block.base);
  auto require = [&](Value condition) {
    at.mask = at.mask ? Value(arith::AndIOp::create(b, loc, at.mask, condition)) : condition;
  };
  for (int64_t dim = 0; dim < block.type.getRank(); ++dim) {
    Value index = spread(b, loc, widen(b, loc, block.indices[dim]), shape, dim);
    Value stride = SplatOp::create(b, loc, index.getType(), block.strides[dim]);
    Value offset = arith::MulIOp::create(b, loc, index, stride);
    at.pointers = AddPtrOp::create(b, loc, at.pointers.getType(), at.pointers, offset);
    if (!llvm::is_contained(checked, dim))
      continue;
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(index.getType()));
    Value extent = SplatOp::create(b, loc, index.getType(), widen(b, loc, block.extents[dim]));
    require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index, zero));
    require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, extent));
  }
  return at;
}

TypedAttr getPadding(Type element, PaddingOption option) {
  if (option == PaddingOption::Zero)
    return Builder(element.getContext()).getZeroAttr(element);
  return FloatAttr::get(element, APFloat::getNaN(cast<FloatType>(element).getFloatSemantics()));
}

} // namespace blockdsl
