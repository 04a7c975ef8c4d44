//===- RewriteTensorDescriptors.cpp - Descriptors become their parts -------===//
//
// A descriptor is a base, extents, strides and a padding. As values of those types they go through loops and ifs by
// upstream's conversion, and through branches, calls and returns; what reads and writes through them is spelled with
// pointers and masks.
//
//===----------------------------------------------------------------------===//

#include "StridedBlock.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

namespace blockdsl {
#define GEN_PASS_DEF_REWRITETENSORDESCRIPTORSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

// Of a kernel's parameter, in the numbers of PaddingOption.
constexpr StringLiteral paddingAttrName = "tt.padding";

/// The values that stand for a descriptor, in this order.
struct Parts {
  Parts(TensorDescType type, ValueRange values)
      : base(values.front()), extents(values.slice(1, type.getRank())),
        strides(values.slice(1 + type.getRank(), type.getRank())), isPaddedWithNaN(values.back()) {}
  Value base;
  ValueRange extents, strides;
  Value isPaddedWithNaN;
};

struct DescriptorConverter : TypeConverter {
  DescriptorConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](TensorDescType type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
      Builder b(type.getContext());
      parts.push_back(PtrType::get(type.getBlockType().getElementType()));
      parts.append(type.getRank(), b.getI32Type());
      parts.append(type.getRank(), b.getI64Type());
      parts.push_back(b.getI1Type());
      return success();
    });
  }
};

//===----------------------------------------------------------------------===//
// Where descriptors come from
//===----------------------------------------------------------------------===//

struct MakeParts : OpConversionPattern<MakeTensorDescriptorOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeTensorDescriptorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts = {adaptor.getBase()};
    llvm::append_range(parts, adaptor.getShape());
    llvm::append_range(parts, adaptor.getStrides().drop_back());
    parts.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI64IntegerAttr(1)));
    bool isNaN = op.getPadding() == PaddingOption::NaN;
    parts.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getBoolAttr(isNaN)));
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
};

struct SelectParts : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [yes, no] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(arith::SelectOp::create(rewriter, op.getLoc(), adaptor.getCondition().front(), yes, no));
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
};

struct PoisonParts : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return rewriter.notifyMatchFailure(op, "no descriptor");
    SmallVector<Value> parts;
    for (Type type : types)
      parts.push_back(ub::PoisonOp::create(rewriter, op.getLoc(), type));
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// How they go from block to block, and to functions
//===----------------------------------------------------------------------===//

SmallVector<Value> flat(ArrayRef<ValueRange> values) {
  SmallVector<Value> all;
  for (ValueRange each : values)
    llvm::append_range(all, each);
  return all;
}

struct SignatureOfParts : OpConversionPattern<FuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(FuncOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion inputs(op.getNumArguments());
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(), inputs)) ||
        failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return failure();
    // What is said of a descriptor is said of none of its parts.
    SmallVector<DictionaryAttr> attributes(inputs.getConvertedTypes().size(), rewriter.getDictionaryAttr({}));
    for (unsigned at = 0; at < op.getNumArguments(); ++at)
      if (DictionaryAttr given = op.getArgAttrDict(at); given && inputs.getInputMapping(at)->size == 1)
        attributes[inputs.getInputMapping(at)->inputNo] = given;
    if (!op.isExternal() && failed(rewriter.convertRegionTypes(&op.getBody(), *getTypeConverter(), &inputs)))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (results.size() != op.getNumResults())
        op.removeResAttrsAttr();
      op.removeArgAttrsAttr();
      op.setFunctionType(rewriter.getFunctionType(inputs.getConvertedTypes(), results));
      op.setAllArgAttrs(attributes);
    });
    return success();
  }
};

struct CallWithParts : OpConversionPattern<CallOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(CallOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<size_t> counts;
    for (Type type : op.getResultTypes()) {
      size_t before = types.size();
      if (failed(getTypeConverter()->convertType(type, types)))
        return failure();
      counts.push_back(types.size() - before);
    }
    auto call = CallOp::create(rewriter, op.getLoc(), types, flat(adaptor.getOperands()), op->getAttrs());
    SmallVector<ValueRange> parts;
    ResultRange left = call->getResults();
    for (size_t count : counts) {
      parts.push_back(left.take_front(count));
      left = left.drop_front(count);
    }
    rewriter.replaceOpWithMultiple(op, parts);
    return success();
  }
};

/// Of an op that only passes its operands on.
template <typename Op> struct PassParts : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(flat(adaptor.getOperands())); });
    return success();
  }
};

struct ChooseWithParts : OpConversionPattern<cf::CondBranchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(cf::CondBranchOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<cf::CondBranchOp>(op, adaptor.getCondition().front(), op.getTrueDest(),
                                                  flat(adaptor.getTrueDestOperands()), op.getFalseDest(),
                                                  flat(adaptor.getFalseDestOperands()));
    return success();
  }
};

/// Makes the descriptors that are parameters of a kernel inside of it. Their extents and strides are parameters
/// already.
LogicalResult rewriteParameters(FuncOp func) {
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  for (unsigned at = 0; at < func.getNumArguments(); ++at) {
    auto type = dyn_cast<TensorDescType>(func.getArgument(at).getType());
    if (!type)
      continue;
    ArrayRef<Type> after = func.getArgumentTypes().drop_front(at + 1);
    size_t rank = type.getRank();
    bool isExpanded = after.size() >= 2 * rank &&
                      llvm::all_of(after.take_front(rank), [](Type each) { return each.isInteger(32); }) &&
                      llvm::all_of(after.slice(rank, rank), [](Type each) { return each.isInteger(64); });
    if (!isExpanded)
      return func.emitOpError("expects parameter ")
             << at << " (" << type << ") to be followed by " << rank << " sizes (i32) and " << rank << " strides (i64)";
    auto mark = func.getArgAttrOfType<IntegerAttr>(at, paddingAttrName);
    auto padding =
        mark && mark.getInt() == static_cast<int64_t>(PaddingOption::NaN) ? PaddingOption::NaN : PaddingOption::Zero;
    func.removeArgAttr(at, paddingAttrName);
    BlockArgument base = func.getArgument(at);
    auto following = ValueRange(func.getArguments()).drop_front(at + 1);
    auto made = MakeTensorDescriptorOp::create(b, func.getLoc(), type, base, following.take_front(rank),
                                               following.slice(rank, rank), padding);
    base.replaceAllUsesExcept(made, made);
    base.setType(PtrType::get(type.getBlockType().getElementType()));
  }
  FunctionType type = func.getFunctionType();
  func.setFunctionType(b.getFunctionType(func.getBody().getArgumentTypes(), type.getResults()));
  return success();
}

//===----------------------------------------------------------------------===//
// What is done through them
//===----------------------------------------------------------------------===//

/// The addresses of a block whose elements have these indices.
Addresses createAddresses(OpBuilder &b, Location loc, const Parts &desc, RankedTensorType type,
                          SmallVector<Value> indices) {
  StridedBlock block{desc.base, type, std::move(indices), llvm::to_vector(desc.extents), llvm::to_vector(desc.strides)};
  SmallVector<int32_t> all = llvm::to_vector(llvm::seq<int32_t>(0, type.getRank()));
  return blockdsl::createAddresses(b, loc, block, all);
}

/// The indices of a block that is dense in each dimension.
SmallVector<Value> createRanges(OpBuilder &b, Location loc, RankedTensorType type, ArrayRef<ValueRange> starts) {
  SmallVector<Value> ranges;
  for (auto [start, size] : llvm::zip_equal(starts, type.getShape()))
    ranges.push_back(createRange(b, loc, start.front(), size));
  return ranges;
}

/// The indices of rows, and of consecutive columns.
SmallVector<Value> createRows(OpBuilder &b, Location loc, RankedTensorType type, Value rows, Value column) {
  return {rows, createRange(b, loc, column, type.getDimSize(1))};
}

/// The block outside of the array: constant wherever the padding is.
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

/// Replaces an op by the load of a block, which may have more dimensions of size 1 than its result.
void replaceByLoad(ConversionPatternRewriter &rewriter, Operation *op, const Addresses &at, RankedTensorType type,
                   const Parts &desc, CachePolicyAttr policy) {
  Value other = createPadding(rewriter, op->getLoc(), type, desc.isPaddedWithNaN);
  Value value = LoadOp::create(rewriter, op->getLoc(), type, at.pointers, at.mask, other, DenseI32ArrayAttr(),
                               PaddingOptionAttr(), policy, rewriter.getBoolAttr(false));
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

/// The update of each element in memory that a reduction of `type`'s elements, signed or not, is.
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
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (func.isPublic() && !func.isExternal() && failed(rewriteParameters(func)))
        return signalPassFailure();
    MLIRContext *context = &getContext();
    DescriptorConverter converter;
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    patterns.add<MakeParts, SelectParts, PoisonParts, LoadBlock, StoreBlock, ReduceBlock, LoadRows, StoreRows>(
        converter, context);
    patterns.add<SignatureOfParts, CallWithParts, PassParts<ReturnOp>, PassParts<cf::BranchOp>, ChooseWithParts>(
        converter, context);
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
