//===- UnpackScaledProducts.cpp - Lowering of tt.dot_scaled to tt.dot -----===//
//
// f32 represents every product of an element and its scale, except for overflow and underflow. GPUs without scaled dots
// compute these products in bf16: the results are the same, except for the rounding to bf16.
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

/// Emits the operands of one dot as blocks of f32.
class FactorWriter {
public:
  explicit FactorWriter(ImplicitLocOpBuilder &b) : b(b) {}

  /// Returns `block` as f32 with its scales applied.
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

  /// Unpacks two elements from each byte, the low bits first, adjacent along `dim`.
  Value unpack(Value bytes, int64_t dim) {
    RankedTensorType type = typeOf(bytes);
    Value low = decode(bytes);
    Value high = decode(arith::ShRUIOp::create(b, bytes, constant(type, 4)));
    Value pairs = JoinOp::create(b, low, high);
    // Moves the dimension of pairs from the end to behind the dimension that it doubles.
    int64_t rank = type.getRank();
    SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    order.insert(order.begin() + dim + 1, rank);
    SmallVector<int64_t> permuted, shape(type.getShape());
    for (int32_t from : order)
      permuted.push_back(from == rank ? 2 : type.getDimSize(from));
    shape[dim] *= 2;
    Value adjacent = TransOp::create(b, RankedTensorType::get(permuted, b.getF32Type()), pairs, order);
    return reshape(adjacent, shape);
  }

  /// Decodes the low 4 bits of each byte: a sign, two bits of exponent and one of mantissa. They become the fields of
  /// an f16, whose exponent bias is 15 instead of 1, and the result is multiplied by 2^14.
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

  /// Returns one scale for each element, for an inner dimension of `size` elements.
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

  /// Returns 2^(x - 127), or NaN for 255. `x` is the exponent field of an f32, except for 2^-127, which is a denormal.
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

/// Returns true for formats that Triton's IR can name but no kernel uses.
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
