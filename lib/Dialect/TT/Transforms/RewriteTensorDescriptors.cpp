//===- RewriteTensorDescriptors.cpp - Lowering of tensor descriptors ------===//
//
// Replaces the creation of descriptors by their parts, and accesses through them by accesses through pointers and
// masks. DescriptorParts.cpp passes the parts between ops.
//
//===----------------------------------------------------------------------===//

#include "DescriptorParts.h"
#include "StridedBlock.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

namespace blockdsl {
#define GEN_PASS_DEF_REWRITETENSORDESCRIPTORSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

using Parts = DescriptorParts;

// An attribute of kernel parameters. Its values are those of PaddingOption.
constexpr StringLiteral paddingAttrName = "tt.padding";

//===----------------------------------------------------------------------===//
// Creation of descriptors
//===----------------------------------------------------------------------===//

struct MakeParts : OpConversionPattern<MakeTensorDescriptorOp> {
  MakeParts(const DescriptorConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context), asTriton(converter.asTriton) {}
  LogicalResult matchAndRewrite(MakeTensorDescriptorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto constant = [&](TypedAttr value) { return arith::ConstantOp::create(rewriter, op.getLoc(), value); };
    SmallVector<Value> parts = {adaptor.getBase()};
    for (Value extent : adaptor.getShape())
      parts.push_back(
          asTriton ? arith::ExtSIOp::create(rewriter, op.getLoc(), rewriter.getI64Type(), extent).getResult() : extent);
    llvm::append_range(parts, adaptor.getStrides().drop_back());
    parts.push_back(asTriton ? adaptor.getStrides().back() : constant(rewriter.getI64IntegerAttr(1)));
    parts.push_back(constant(rewriter.getBoolAttr(op.getPadding() == PaddingOption::NaN)));
    if (asTriton)
      parts.push_back(constant(rewriter.getBoolAttr(false)));
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
  const bool asTriton;
};

/// Creates the descriptors that are parameters of a kernel in its body, from base pointers and the parameters that
/// follow.
LogicalResult rewriteParameters(FuncOp func) {
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  for (unsigned at = 0; at < func.getNumArguments(); ++at) {
    auto type = dyn_cast<TensorDescType>(func.getArgument(at).getType());
    if (!type)
      continue;
    if (failed(verifyDescriptorParameter(func, at)))
      return failure();
    size_t rank = type.getRank();
    auto mark = func.getArgAttrOfType<IntegerAttr>(at, paddingAttrName);
    auto padding =
        mark && mark.getInt() == static_cast<int64_t>(PaddingOption::NaN) ? PaddingOption::NaN : PaddingOption::Zero;
    func.removeArgAttr(at, paddingAttrName);
    BlockArgument base = func.getArgument(at);
    auto following = ValueRange(func.getArguments()).drop_front(at + 1);
    auto descriptor = MakeTensorDescriptorOp::create(b, func.getLoc(), type, base, following.take_front(rank),
                                                     following.slice(rank, rank), padding);
    base.replaceAllUsesExcept(descriptor, descriptor);
    base.setType(PtrType::get(type.getBlockType().getElementType()));
  }
  FunctionType type = func.getFunctionType();
  func.setFunctionType(b.getFunctionType(func.getBody().getArgumentTypes(), type.getResults()));
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses through descriptors
//===----------------------------------------------------------------------===//

/// Returns the addresses of a block whose elements have these indices.
Addresses createAddresses(OpBuilder &b, Location loc, const Parts &desc, RankedTensorType type,
                          SmallVector<Value> indices) {
  StridedBlock block{desc.base, type, std::move(indices), llvm::to_vector(desc.extents), llvm::to_vector(desc.strides)};
  SmallVector<int32_t> all = llvm::to_vector(llvm::seq<int32_t>(0, type.getRank()));
  return blockdsl::createAddresses(b, loc, block, all);
}

/// Returns the indices of a block that is dense in each dimension.
SmallVector<Value> createRanges(OpBuilder &b, Location loc, RankedTensorType type, ArrayRef<ValueRange> starts) {
  SmallVector<Value> ranges;
  for (auto [start, size] : llvm::zip_equal(starts, type.getShape()))
    ranges.push_back(createRange(b, loc, start.front(), size));
  return ranges;
}

/// Returns the indices of rows, and of consecutive columns.
SmallVector<Value> createRows(OpBuilder &b, Location loc, RankedTensorType type, Value rows, Value column) {
  return {rows, createRange(b, loc, column, type.getDimSize(1))};
}

/// Returns a block of padding: a constant if `isNaN` is one.
Value createPadding(OpBuilder &b, Location loc, RankedTensorType type, Value isNaN) {
  Type element = type.getElementType();
  TypedAttr zero = getPadding(element, PaddingOption::Zero);
  if (!isa<FloatType>(element) || matchPattern(isNaN, m_Zero()))
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, zero));
  TypedAttr nan = getPadding(element, PaddingOption::NaN);
  if (matchPattern(isNaN, m_One()))
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, nan));
  Value one = arith::SelectOp::create(b, loc, isNaN, arith::ConstantOp::create(b, loc, nan),
                                      arith::ConstantOp::create(b, loc, zero));
  return SplatOp::create(b, loc, type, one);
}

/// Rounds a block of f32 to TF32 if the descriptor does so: to the nearest number with ten bits of mantissa, ties to
/// even. Infinities and NaN are unchanged.
Value createRounded(OpBuilder &b, Location loc, Value block, const Parts &desc) {
  auto type = cast<RankedTensorType>(block.getType());
  if (!type.getElementType().isF32() || !desc.isRounded || matchPattern(desc.isRounded, m_Zero()))
    return block;
  RankedTensorType bitsType = type.clone(b.getI32Type());
  auto all = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(bitsType, b.getI32IntegerAttr(value)));
  };
  Value bits = BitcastOp::create(b, loc, bitsType, block);
  Value exponent = arith::AndIOp::create(b, loc, bits, all(0x7F800000));
  Value isNoNumber = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, exponent, all(0x7F800000));
  Value last = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, all(13)), all(1));
  Value half = arith::AddIOp::create(b, loc, last, all(0xFFF));
  Value rounded = arith::AndIOp::create(b, loc, arith::AddIOp::create(b, loc, bits, half), all(-0x2000));
  Value number = BitcastOp::create(b, loc, type, arith::SelectOp::create(b, loc, isNoNumber, bits, rounded));
  return arith::SelectOp::create(b, loc, desc.isRounded, number, block);
}

/// Replaces an op by the load of a block. The op's result may lack dimensions of size 1.
void replaceByLoad(ConversionPatternRewriter &rewriter, Operation *op, const Addresses &at, RankedTensorType type,
                   const Parts &desc, CachePolicyAttr policy) {
  Value other = createPadding(rewriter, op->getLoc(), type, desc.isPaddedWithNaN);
  Value value = LoadOp::create(rewriter, op->getLoc(), type, at.pointers, at.mask, other, DenseI32ArrayAttr(),
                               PaddingOptionAttr(), policy, rewriter.getBoolAttr(false));
  value = createRounded(rewriter, op->getLoc(), value, desc);
  Type result = op->getResult(0).getType();
  rewriter.replaceOp(op, result == type ? value : ReshapeOp::create(rewriter, op->getLoc(), result, value));
}

struct LoadBlock : OpConversionPattern<DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getDesc().getType().getBlockType();
    Parts desc(op.getDesc().getType(), adaptor.getDesc());
    auto ranges = createRanges(rewriter, op.getLoc(), type, adaptor.getIndices());
    Addresses at = createAddresses(rewriter, op.getLoc(), desc, type, ranges);
    replaceByLoad(rewriter, op, at, type, desc, op.getCachePolicyAttr());
    return success();
  }
};

struct StoreBlock : OpConversionPattern<DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getDesc().getType().getBlockType();
    Parts desc(op.getDesc().getType(), adaptor.getDesc());
    auto ranges = createRanges(rewriter, op.getLoc(), type, adaptor.getIndices());
    Addresses at = createAddresses(rewriter, op.getLoc(), desc, type, ranges);
    Value value = adaptor.getSrc().front();
    if (value.getType() != type)
      value = ReshapeOp::create(rewriter, op.getLoc(), type, value);
    rewriter.replaceOpWithNewOp<StoreOp>(op, at.pointers, value, at.mask);
    return success();
  }
};

/// Returns the atomic update for a reduction of elements of `type`, which may be unsigned.
RMWOp getUpdate(DescriptorReduceKind kind, Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  switch (kind) {
  case DescriptorReduceKind::Add:
    return isa<FloatType>(type) ? RMWOp::FAdd : RMWOp::Add;
  case DescriptorReduceKind::Min:
    return isUnsigned ? RMWOp::UMin : RMWOp::Min;
  case DescriptorReduceKind::Max:
    return isUnsigned ? RMWOp::UMax : RMWOp::Max;
  case DescriptorReduceKind::Inc:
    return RMWOp::Inc;
  case DescriptorReduceKind::Dec:
    return RMWOp::Dec;
  case DescriptorReduceKind::And:
    return RMWOp::And;
  case DescriptorReduceKind::Or:
    return RMWOp::Or;
  case DescriptorReduceKind::Xor:
    return RMWOp::Xor;
  }
  llvm_unreachable("every reduction is an update");
}

struct ReduceBlock : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorDescType described = op.getDesc().getType();
    RankedTensorType type = described.getBlockType();
    Parts desc(described, adaptor.getDesc());
    auto ranges = createRanges(rewriter, op.getLoc(), type, adaptor.getIndices());
    Addresses at = createAddresses(rewriter, op.getLoc(), desc, type, ranges);
    Value value = adaptor.getSrc().front();
    if (value.getType() != type)
      value = ReshapeOp::create(rewriter, op.getLoc(), type, value);
    AtomicRMWOp::create(rewriter, op.getLoc(), type, getUpdate(op.getKind(), described.getElementType()), at.pointers,
                        value, at.mask, MemSemantic::Relaxed, MemSyncScope::GPU);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadRows : OpConversionPattern<DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Parts desc(op.getDesc().getType(), adaptor.getDesc());
    auto rows = createRows(rewriter, op.getLoc(), type, adaptor.getXOffsets().front(), adaptor.getYOffset().front());
    Addresses at = createAddresses(rewriter, op.getLoc(), desc, type, rows);
    replaceByLoad(rewriter, op, at, type, desc, CachePolicyAttr());
    return success();
  }
};

struct StoreRows : OpConversionPattern<DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getSrc().getType());
    Parts desc(op.getDesc().getType(), adaptor.getDesc());
    auto rows = createRows(rewriter, op.getLoc(), type, adaptor.getXOffsets().front(), adaptor.getYOffset().front());
    Addresses at = createAddresses(rewriter, op.getLoc(), desc, type, rows);
    rewriter.replaceOpWithNewOp<StoreOp>(op, at.pointers, adaptor.getSrc().front(), at.mask);
    return success();
  }
};

bool accessesRows(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<DescriptorGatherOp, DescriptorScatterOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct RewriteTensorDescriptorsPass : impl::RewriteTensorDescriptorsPassBase<RewriteTensorDescriptorsPass> {
  using RewriteTensorDescriptorsPassBase::RewriteTensorDescriptorsPassBase;
  void runOnOperation() override {
    if (onlyForRows && !accessesRows(getOperation()))
      return;
    if (failed(verifyDescriptorFlow(getOperation())))
      return signalPassFailure();
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (!asTriton && func.isPublic() && !func.isExternal() && failed(rewriteParameters(func)))
        return signalPassFailure();
    MLIRContext *context = &getContext();
    DescriptorConverter converter(asTriton);
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    populateDescriptorFlow(converter, patterns);
    patterns.add<MakeParts, LoadBlock, StoreBlock, ReduceBlock, LoadRows, StoreRows>(converter, context);
    target.addDynamicallyLegalOp<FuncOp>([&](FuncOp func) {
      return converter.isSignatureLegal(func.getFunctionType()) && converter.isLegal(&func.getBody());
    });
    target.markUnknownOpDynamicallyLegal([&](Operation *op) { return converter.isLegal(op); });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
