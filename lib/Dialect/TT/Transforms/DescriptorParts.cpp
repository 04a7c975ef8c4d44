//===- DescriptorParts.cpp - Values that replace a descriptor ---*- C++ -*-===//
// Patterns for functions, calls, branches, selects and poison. Upstream has those for loops and ifs.
//===----------------------------------------------------------------------===//
#include "DescriptorParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace blockdsl {

DescriptorParts::DescriptorParts(TensorDescType type, ValueRange values)
    : base(values.front()), extents(values.slice(1, type.getRank())),
      strides(values.slice(1 + type.getRank(), type.getRank())), isPaddedWithNaN(values[1 + 2 * type.getRank()]),
      isRounded(values.drop_front(2 + 2 * type.getRank()).empty() ? Value() : values.back()) {}

DescriptorConverter::DescriptorConverter(bool asTriton) : asTriton(asTriton) {
  addConversion([](Type type) { return type; });
  addConversion([asTriton](TensorDescType type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
    Builder b(type.getContext());
    parts.push_back(PtrType::get(type.getBlockType().getElementType()));
    parts.append(type.getRank(), asTriton ? b.getI64Type() : b.getI32Type());
    parts.append(type.getRank(), b.getI64Type());
    parts.append(asTriton ? 2 : 1, b.getI1Type());
    return success();
  });
}

namespace {

SmallVector<Value> flat(ArrayRef<ValueRange> values) {
  SmallVector<Value> all;
  for (ValueRange each : values)
    llvm::append_range(all, each);
  return all;
}

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

struct SignatureOfParts : OpConversionPattern<FuncOp> {
  SignatureOfParts(const DescriptorConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context), asTriton(converter.asTriton) {}
  LogicalResult matchAndRewrite(FuncOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion inputs(op.getNumArguments());
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(), inputs)) ||
        failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return failure();
    SmallVector<DictionaryAttr> attributes(inputs.getConvertedTypes().size(), rewriter.getDictionaryAttr({}));
    for (unsigned at = 0; at < op.getNumArguments(); ++at) {
      // Attributes of a descriptor hold for none of its parts. Triton's pass attaches them to the base.
      auto mapping = inputs.getInputMapping(at);
      if (DictionaryAttr given = op.getArgAttrDict(at); given && (asTriton || mapping->size == 1))
        attributes[mapping->inputNo] = given;
    }
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
  const bool asTriton;
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

struct ReturnParts : OpConversionPattern<ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ReturnOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(flat(adaptor.getOperands())); });
    return success();
  }
};

/// Converts any branch op to pass parts to its successors.
struct BranchWithParts : OpInterfaceConversionPattern<BranchOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;
  LogicalResult matchAndRewrite(BranchOpInterface op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Value>> passed;
    for (unsigned at = 0; at < op->getNumSuccessors(); ++at) {
      OperandRange forwarded = op.getSuccessorOperands(at).getForwardedOperands();
      unsigned first = forwarded.empty() ? 0 : forwarded.getBeginOperandIndex();
      passed.push_back(flat(operands.slice(first, forwarded.size())));
    }
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [at, values] : llvm::enumerate(passed))
        op.getSuccessorOperands(at).getMutableForwardedOperands().assign(values);
    });
    return success();
  }
};

/// Returns true if a pattern here, in RewriteTensorDescriptors.cpp or upstream converts the descriptors of the op.
bool isRewritten(Operation *op) {
  return isa<arith::SelectOp, ub::PoisonOp, FuncOp, CallOp, ReturnOp, BranchOpInterface>(op) ||
         isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp, scf::YieldOp, scf::ConditionOp>(op) ||
         isa<MakeTensorDescriptorOp, DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>(op) ||
         isa<DescriptorGatherOp, DescriptorScatterOp>(op);
}

/// Returns true if a descriptor of `type` in `op` cannot be replaced. A block of descriptors never can.
bool keepsDescriptor(Operation *op, Type type) {
  if (isa<TensorDescType>(type))
    return !isRewritten(op);
  return isa<TensorDescType>(getElementTypeOrSelf(type));
}

/// Returns the types of the op's operands, results and block arguments.
SmallVector<Type> typesOf(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  return types;
}

} // namespace

void populateDescriptorFlow(const DescriptorConverter &converter, RewritePatternSet &patterns) {
  patterns.add<SelectParts, PoisonParts, CallWithParts, ReturnParts, BranchWithParts>(converter, patterns.getContext());
  patterns.add<SignatureOfParts>(converter, patterns.getContext());
}

LogicalResult verifyDescriptorFlow(Operation *root) {
  WalkResult result = root->walk([](Operation *op) -> WalkResult {
    for (Type type : typesOf(op))
      if (keepsDescriptor(op, type))
        return op->emitOpError("expects no tensor descriptor, which becomes several values, got ") << type;
    return success();
  });
  return failure(result.wasInterrupted());
}

} // namespace blockdsl
