//===- MemoryOps.cpp - Pointers, loads and stores ---------------*- C++ -*-===//
#include "CacheHints.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/MemoryOps.cpp.inc"

void TTDialect::registerMemoryOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/MemoryOps.cpp.inc"
      >();
}

static Type getMaskType(Type pointee) { return getSameShape(pointee, IntegerType::get(pointee.getContext(), 1)); }

//===----------------------------------------------------------------------===//
// Pointer arithmetic
//===----------------------------------------------------------------------===//

LogicalResult AddPtrOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getPtr().getType());
  return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  return matchPattern(adaptor.getOffset(), m_Zero()) ? getPtr() : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Parsing and printing of loads and stores
//===----------------------------------------------------------------------===//

/// Parses operands, attributes and the pointer's type, which determines the types of all operands.
template <typename AccessOp>
static ParseResult parseAccess(OpAsmParser &parser, OperationState &result, unsigned valueOperands, Type &pointee,
                               unsigned &operandCount) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  if (operands.size() < valueOperands + 1 || operands.size() > 3)
    return parser.emitError(start) << "expects " << valueOperands + 1 << " to 3 operands, not " << operands.size();
  if (parseCacheHints(parser, result))
    return failure();
  SMLoc attributes = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      failed(
          AccessOp::verifyInherentAttrs(result.name, result.attributes, [&] { return parser.emitError(attributes); })))
    return failure();
  SMLoc typeStart;
  Type pointer;
  if (parser.parseColon() || (typeStart = parser.getCurrentLocation(), parser.parseType(pointer)))
    return failure();
  pointee = getPointeeType(pointer);
  if (!pointee)
    return parser.emitError(typeStart) << "expects type (" << pointer << ") to be a pointer or a block of pointers";
  operandCount = operands.size();
  // load: pointer, mask, other. store: pointer, value, mask.
  Type mask = getMaskType(pointee);
  Type types[] = {pointer, valueOperands ? pointee : mask, valueOperands ? mask : pointee};
  return parser.resolveOperands(operands, ArrayRef<Type>(types).take_front(operandCount), start, result.operands);
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  Type pointee;
  unsigned count;
  if (parseAccess<LoadOp>(parser, result, /*valueOperands=*/0, pointee, count))
    return failure();
  result.addTypes(pointee);
  int32_t segments[] = {1, count > 1, count > 2};
  llvm::copy(segments, result.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << (*this)->getOperands();
  SmallVector<StringRef> elided = {getOperandSegmentSizeAttr()};
  if (!getIsVolatile())
    elided.push_back(getIsVolatileAttrName());
  printAttributes(printer, *this, getCachePolicyAttr(), elided);
  printer << " : " << getPtr().getType();
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  Type pointee;
  unsigned count;
  return parseAccess<StoreOp>(parser, result, /*valueOperands=*/1, pointee, count);
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << ' ' << (*this)->getOperands();
  printAttributes(printer, *this, getCachePolicyAttr(), {});
  printer << " : " << getPtr().getType();
}

//===----------------------------------------------------------------------===//
// Verification and canonicalization of loads and stores
//===----------------------------------------------------------------------===//

/// Verifies that the mask and the bounds checks of a load or store match its pointer.
static LogicalResult verifyAccess(Operation *op, Value ptr, Value mask, std::optional<ArrayRef<int32_t>> bounds) {
  Type type = ptr.getType();
  Type pointee = getPointeeType(type);
  if (mask && mask.getType() != getMaskType(pointee))
    return op->emitOpError("expects type of mask (") << mask.getType() << ") to be " << getMaskType(pointee);
  auto pointer = dyn_cast<PtrType>(type);
  bool isBlockPointer = pointer && pointer.isBlockPointer();
  if (mask && isBlockPointer)
    return op->emitOpError("expects no mask with a block pointer (") << type << "), whose bounds are in boundaryCheck";
  if (!bounds || bounds->empty())
    return success();
  if (!isBlockPointer)
    return op->emitOpError("expects pointer (") << type << ") to be a block pointer when boundaryCheck is given";
  int64_t rank = cast<RankedTensorType>(pointee).getRank();
  llvm::SmallDenseSet<int32_t> seen;
  for (int32_t dimension : *bounds) {
    if (dimension < 0 || dimension >= rank)
      return op->emitOpError("expects dimension in boundaryCheck (")
             << dimension << ") to be at least 0 and below the block's rank (" << rank << ")";
    if (!seen.insert(dimension).second)
      return op->emitOpError("expects dimension in boundaryCheck (") << dimension << ") to be named once";
  }
  return success();
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, Value other, bool isVolatile) {
  build(builder, state, getPointeeType(ptr.getType()), ptr, mask, other, DenseI32ArrayAttr(), PaddingOptionAttr(),
        CachePolicyAttr(), builder.getBoolAttr(isVolatile));
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  Type type = adaptor.getPtr().getType();
  Type pointee = getPointeeType(type);
  results.push_back(pointee ? pointee : type);
  return success();
}

LogicalResult LoadOp::verify() {
  Type pointee = getPointeeType(getPtr().getType());
  if (getType() != pointee)
    return emitOpError("expects result type (")
           << getType() << ") to be what the pointer points to (" << pointee << ")";
  if (getOther() && getOther().getType() != pointee)
    return emitOpError("expects type of other (")
           << getOther().getType() << ") to be what the pointer points to (" << pointee << ")";
  if (getOther() && !getMask())
    return emitOpError("expects a mask where other is given");
  auto pointer = dyn_cast<PtrType>(getPtr().getType());
  if (getPadding() && !(pointer && pointer.isBlockPointer()))
    return emitOpError("expects pointer (") << getPtr().getType() << ") to be a block pointer when padding is given";
  if (getPadding() == PaddingOption::NaN && !isa<FloatType>(getElementTypeOrSelf(pointee)))
    return emitOpError("expects element type (")
           << getElementTypeOrSelf(pointee) << ") to be a float when padding is nan";
  return verifyAccess(*this, getPtr(), getMask(), getBoundaryCheck());
}

void LoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  // The write effect prevents removal, merging with another load, and motion past other accesses.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

// Volatile loads too: elements that are masked off are not read.
LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  Attribute mask;
  if (!op.getMask() || !matchPattern(op.getMask(), m_Constant(&mask)))
    return failure();
  if (matchPattern(mask, m_One())) {
    rewriter.modifyOpInPlace(op, [&] {
      op.getOtherMutable().clear();
      op.getMaskMutable().clear();
    });
    return success();
  }
  if (!matchPattern(mask, m_Zero()))
    return failure();
  if (op.getOther()) {
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  auto zero = dyn_cast_or_null<TypedAttr>(rewriter.getZeroAttr(op.getType()));
  if (!zero)
    return rewriter.notifyMatchFailure(op, "pointers have no zero constant");
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
  return success();
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value value, Value mask) {
  build(builder, state, TypeRange(), ptr, value, mask, DenseI32ArrayAttr(), CachePolicyAttr());
}

LogicalResult StoreOp::verify() {
  Type pointee = getPointeeType(getPtr().getType());
  if (getValue().getType() != pointee)
    return emitOpError("expects type of value (")
           << getValue().getType() << ") to be what the pointer points to (" << pointee << ")";
  return verifyAccess(*this, getPtr(), getMask(), getBoundaryCheck());
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  Attribute mask;
  if (!op.getMask() || !matchPattern(op.getMask(), m_Constant(&mask)))
    return failure();
  if (matchPattern(mask, m_One())) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  if (!matchPattern(mask, m_Zero()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Block pointers
//===----------------------------------------------------------------------===//

LogicalResult MakeTensorPtrOp::verify() {
  // A type constraint ensures that the result is a block pointer.
  auto block = cast<RankedTensorType>(getType().getPointeeType());
  size_t rank = block.getRank();
  if (getShape().size() != rank)
    return emitOpError("expects number of sizes, strides and offsets (")
           << getShape().size() << ") to be the block's rank (" << rank << ")";
  if (getOrder().size() != rank || !isPermutationVector(SmallVector<int64_t>(getOrder())))
    return emitOpError("expects order (")
           << ArrayRef<int32_t>(getOrder()) << ") to name each of the block's " << rank << " dimensions once";
  return success();
}

LogicalResult AdvanceOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getPtr().getType());
  return success();
}

LogicalResult AdvanceOp::verify() {
  auto block = cast<RankedTensorType>(cast<PtrType>(getPtr().getType()).getPointeeType());
  if (static_cast<int64_t>(getOffsets().size()) != block.getRank())
    return emitOpError("expects number of offsets (")
           << getOffsets().size() << ") to be the block's rank (" << block.getRank() << ")";
  return success();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor adaptor) {
  return llvm::all_of(adaptor.getOffsets(), [](Attribute offset) { return matchPattern(offset, m_Zero()); })
             ? getPtr()
             : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Selects
//===----------------------------------------------------------------------===//

namespace {
/// select(mask, load(p, mask, _), c) -> load(p, mask, c), if c is a constant: other values may not dominate the load,
/// which cannot move past a store.
struct SelectOfMaskedLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto load = op.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || !load.getMask() || load.getMask() != op.getCondition())
      return rewriter.notifyMatchFailure(op, "no masked load under the same condition");
    TypedAttr other;
    if (!matchPattern(op.getFalseValue(), m_Constant(&other)))
      return rewriter.notifyMatchFailure(op, "other value is no constant");
    rewriter.setInsertionPoint(load);
    Value constant = arith::ConstantOp::create(rewriter, op.getFalseValue().getLoc(), other);
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(constant); });
    rewriter.replaceOp(op, load);
    return success();
  }
};

/// select(splat c, x, y) -> select(c, x, y)
struct SelectOfSplatCondition : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto splat = op.getCondition().getDefiningOp<SplatOp>();
    if (!splat || isa<RankedTensorType>(splat.getSrc().getType()))
      return rewriter.notifyMatchFailure(op, "condition is no splat of a scalar");
    rewriter.modifyOpInPlace(op, [&] { op.getConditionMutable().assign(splat.getSrc()); });
    return success();
  }
};
} // namespace

void TTDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<SelectOfMaskedLoad, SelectOfSplatCondition>(getContext());
}
