//===- UnpackScaledProducts.cpp - Products in microscaling formats as products of f32 -===//
//
// f32 holds every product of an element and its scale that is not too large or too small for it; what a GPU without
// such products makes of them in bf16 is the same, but for what bf16 rounds.
//
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_UNPACKSCALEDPRODUCTSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

/// Writes the factors of one product.
class FactorWriter {
public:
  explicit FactorWriter(ImplicitLocOpBuilder &b) : b(b) {}

  /// `block`, whose rows are along the dimension `inner`, as f32 with its scales applied.
  Value write(Value block, Value scale, ScaleDotElemType kind, bool isPackedAlongInner, bool isLeft) {
    int64_t rank = typeOf(block).getRank();
    int64_t inner = rank - (isLeft ? 1 : 2), outer = rank - (isLeft ? 2 : 1);
    Value wide = kind == ScaleDotElemType::E2M1 ? unpack(block, isPackedAlongInner ? inner : outer) : widen(block);
    return scale ? arith::MulFOp::create(b, wide, spread(scale, typeOf(wide).getDimSize(inner), isLeft)).getResult()
                 : wide;
  }

private:
  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  Value constant(RankedTensorType type, double value) {
    Type element = type.getElementType();
    TypedAttr one = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, value))
                                            : TypedAttr(b.getIntegerAttr(element, static_cast<int64_t>(value)));
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, Attribute(one)));
  }

  Value widen(Value block) {
    RankedTensorType wide = typeOf(block).clone(b.getF32Type());
    if (typeOf(block).getElementTypeBitWidth() == 8)
      return FpToFpOp::create(b, wide, block, RoundingModeAttr());
    return arith::ExtFOp::create(b, wide, block);
  }

  /// Two elements from each byte, the low bits first, next to each other along `dim`.
  Value unpack(Value bytes, int64_t dim) {
    RankedTensorType type = typeOf(bytes);
    Value low = decode(bytes);
    Value high = decode(arith::ShRUIOp::create(b, bytes, constant(type, 4)));
    Value pairs = JoinOp::create(b, low, high);
    // The pair comes after the dimension that it doubles.
    int64_t rank = type.getRank();
    SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    order.insert(order.begin() + dim + 1, rank);
    SmallVector<int64_t> turned, shape(type.getShape());
    for (int32_t from : order)
      turned.push_back(from == rank ? 2 : type.getDimSize(from));
    shape[dim] *= 2;
    Value inPlace = TransOp::create(b, RankedTensorType::get(turned, b.getF32Type()), pairs, order);
    return reshape(inPlace, shape);
  }

  /// The 4 low bits of each byte as a number: a sign, two bits of exponent and one of mantissa are in an f16 what they
  /// stand for, but for the exponent's bias, which is 15 there and 1 here.
  Value decode(Value bytes) {
    RankedTensorType narrow = typeOf(bytes), type = narrow.clone(b.getI16Type());
    Value bits = arith::ExtUIOp::create(b, type, bytes);
    Value sign = arith::AndIOp::create(b, bits, constant(type, 8));
    Value rest = arith::AndIOp::create(b, bits, constant(type, 7));
    sign = arith::ShLIOp::create(b, sign, constant(type, 12));
    rest = arith::ShLIOp::create(b, rest, constant(type, 9));
    Value both = arith::OrIOp::create(b, sign, rest);
    Value half = arith::BitcastOp::create(b, narrow.clone(b.getF16Type()), both);
    RankedTensorType wide = narrow.clone(b.getF32Type());
    return arith::MulFOp::create(b, arith::ExtFOp::create(b, wide, half), constant(wide, 1 << 14));
  }

  /// The scales, one for each element, where the inner dimension has `size` of them.
  Value spread(Value scale, int64_t size, bool isLeft) {
    Value numbers = isa<FloatType>(typeOf(scale).getElementType()) ? widen(scale) : powerOfTwo(scale);
    RankedTensorType type = typeOf(numbers);
    int64_t rank = type.getRank();
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    Value column = reshape(numbers, shape);
    shape.back() = size / type.getShape().back();
    Value groups = BroadcastOp::create(b, RankedTensorType::get(shape, b.getF32Type()), column);
    shape.pop_back();
    shape.back() = size;
    Value rows = reshape(groups, shape);
    if (isLeft)
      return rows;
    SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    std::swap(order[rank - 2], order[rank - 1]);
    std::swap(shape[rank - 2], shape[rank - 1]);
    return TransOp::create(b, RankedTensorType::get(shape, b.getF32Type()), rows, order);
  }

  /// 2^(x - 127), or NaN for 255: x is the exponent of an f32, in which 0 stands for a smaller number.
  Value powerOfTwo(Value exponents) {
    RankedTensorType type = typeOf(exponents).clone(b.getI32Type());
    Value wide = arith::ExtUIOp::create(b, type, exponents);
    Value bits = arith::ShLIOp::create(b, wide, constant(type, 23));
    bits = arith::MaxUIOp::create(b, bits, constant(type, 1 << 22));
    Value isNaN = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, wide, constant(type, 255));
    bits = arith::SelectOp::create(b, isNaN, constant(type, 0x7fc00000), bits);
    return arith::BitcastOp::create(b, type.clone(b.getF32Type()), bits);
  }

  Value reshape(Value block, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, typeOf(block).getElementType());
    return ReshapeOp::create(b, type, block, /*allow_reorder=*/false, /*efficient_layout=*/false);
  }

  ImplicitLocOpBuilder &b;
};

/// Formats that Triton has a word for, and no kernel.
bool isUnused(ScaleDotElemType kind) { return kind == ScaleDotElemType::E2M3 || kind == ScaleDotElemType::E3M2; }

LogicalResult unpack(DotScaledOp op) {
  for (ScaleDotElemType kind : {op.getAElemType(), op.getBElemType()})
    if (isUnused(kind))
      return op.emitOpError("has no form on the CPU for elements of ") << stringifyScaleDotElemType(kind);
  ImplicitLocOpBuilder b(op.getLoc(), op);
  FactorWriter factors(b);
  Value left = factors.write(op.getA(), op.getAScale(), op.getAElemType(), op.getLhsKPack(), /*isLeft=*/true);
  Value right = factors.write(op.getB(), op.getBScale(), op.getBElemType(), op.getRhsKPack(), /*isLeft=*/false);
  op.replaceAllUsesWith(
      DotOp::create(b, op.getType(), left, right, op.getC(), InputPrecision::IEEE, /*maxNumImpreciseAcc=*/0).getD());
  op.erase();
  return success();
}

struct UnpackScaledProductsPass : impl::UnpackScaledProductsPassBase<UnpackScaledProductsPass> {
  void runOnOperation() override {
    SmallVector<DotScaledOp> products;
    getOperation()->walk([&](DotScaledOp op) { products.push_back(op); });
    for (DotScaledOp op : products)
      if (failed(unpack(op)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
