//===- ElementwiseOps.cpp - Elementwise ops that arith and math lack ------===//
#include "Regions.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/ElementwiseOps.cpp.inc"

void TTDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/ElementwiseOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static uint32_t getAddressSpace(Value pointers) {
  return cast<PtrType>(getElementTypeOrSelf(pointers.getType())).getAddressSpace();
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto source = getSrc().getDefiningOp<PtrToIntOp>();
  return source && source.getSrc().getType() == getType() ? source.getSrc() : OpFoldResult();
}

LogicalResult IntToPtrOp::canonicalize(IntToPtrOp op, PatternRewriter &rewriter) {
  auto source = op.getSrc().getDefiningOp<PtrToIntOp>();
  if (!source || getAddressSpace(source.getSrc()) != getAddressSpace(op.getResult()))
    return rewriter.notifyMatchFailure(op, "no address of the same memory");
  rewriter.replaceOpWithNewOp<BitcastOp>(op, op.getType(), source.getSrc());
  return success();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto source = getSrc().getDefiningOp<IntToPtrOp>();
  return source ? source.getSrc() : OpFoldResult();
}

LogicalResult BitcastOp::verify() {
  Type source = getElementTypeOrSelf(getSrc().getType());
  Type result = getElementTypeOrSelf(getType());
  if (isa<PtrType>(source) != isa<PtrType>(result))
    return emitOpError("expects element types (") << source << ") and (" << result
                                                  << ") to be both pointers, or neither; tt.ptr_to_int and "
                                                     "tt.int_to_ptr convert between pointers and integers";
  if (!isa<PtrType>(source) && source.getIntOrFloatBitWidth() != result.getIntOrFloatBitWidth())
    return emitOpError("expects width of the operand's elements (")
           << source.getIntOrFloatBitWidth() << ") to equal that of the result's (" << result.getIntOrFloatBitWidth()
           << ")";
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // Folds a chain of bitcasts to one.
  if (auto source = getSrc().getDefiningOp<BitcastOp>()) {
    getSrcMutable().assign(source.getSrc());
    return getResult();
  }
  return {};
}

LogicalResult FpToFpOp::verify() {
  auto source = cast<FloatType>(getElementTypeOrSelf(getSrc().getType()));
  auto result = cast<FloatType>(getElementTypeOrSelf(getType()));
  if (result.getWidth() < source.getWidth() && !getRounding())
    return emitOpError("expects a rounding where the result (")
           << result << ") is narrower than the operand (" << source << ")";
  return success();
}

OpFoldResult FpToFpOp::fold(FoldAdaptor) { return getSrc().getType() == getType() ? getSrc() : OpFoldResult(); }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult MulhiUIOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getY(), m_Zero()))
    return getY();
  return constFoldBinaryOp<IntegerAttr, IntegerAttr::ValueType, void>(
      adaptor.getOperands(), [](const APInt &x, const APInt &y) { return llvm::APIntOps::mulhu(x, y); });
}

//===----------------------------------------------------------------------===//
// Foreign functions and user regions
//===----------------------------------------------------------------------===//

LogicalResult ExternElementwiseOp::verify() {
  if (getSymbol().empty())
    return emitOpError("expects symbol (\"\") to name a function");
  // The trait for this check requires an operand.
  return getSrcs().empty() ? success() : mlir::OpTrait::impl::verifySameOperandsAndResultShape(*this);
}

/// Adds read and write effects unless the op is pure.
static void addForeignEffects(bool isPure, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isPure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ExternElementwiseOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addForeignEffects(getPure(), effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  if (getNumResults() == 0)
    return emitOpError("expects number of results (0) to be at least 1");
  auto shapeOf = [](Type type) {
    auto block = dyn_cast<RankedTensorType>(type);
    return block ? block.getShape() : ArrayRef<int64_t>();
  };
  Type first = getResultTypes().front();
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(getOperandTypes()), SmallVector<Type>(getResultTypes())))
    if (isa<RankedTensorType>(type) != isa<RankedTensorType>(first) || shapeOf(type) != shapeOf(first))
      return emitOpError("expects shape of every operand and result (")
             << type << ") to be that of the first result (" << first << ")";
  int64_t pack = static_cast<int32_t>(getPackedElement());
  if (pack < 1)
    return emitOpError("expects packed_element (") << pack << ") to be positive";
  auto block = dyn_cast<RankedTensorType>(first);
  if (block && block.hasStaticShape() && block.getNumElements() % pack != 0)
    return emitOpError("expects packed_element (")
           << pack << ") to divide the number of elements (" << block.getNumElements() << ")";
  return success();
}

void ElementwiseInlineAsmOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addForeignEffects(getPure(), effects);
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

/// Returns the first op in `region`, or in a function called from there, with an effect other than reads.
static Operation *findEffect(Region &region, bool mayAssert, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *found = nullptr;
  region.walk([&](Operation *inner) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    if (auto effectful = dyn_cast<MemoryEffectOpInterface>(inner); effectful && !(mayAssert && isa<AssertOp>(inner)))
      effectful.getEffects(effects);
    if (llvm::any_of(effects, [](const auto &effect) { return !isa<MemoryEffects::Read>(effect.getEffect()); }))
      found = inner;
    auto call = dyn_cast<CallOp>(inner);
    auto callee = call ? SymbolTable::lookupNearestSymbolFrom<FuncOp>(call, call.getCalleeAttr()) : FuncOp();
    if (callee && seen.insert(callee).second)
      found = findEffect(callee.getBody(), mayAssert, seen);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

LogicalResult blockdsl::verifyRegionWithoutEffects(Operation *op) {
  llvm::SmallPtrSet<Operation *, 4> seen;
  // Triton inserts assertions into sums to detect overflow.
  Operation *found = findEffect(op->getRegion(0), /*mayAssert=*/isa<ReduceOp, ScanOp>(op), seen);
  if (!found)
    return success();
  bool isInside = op->isProperAncestor(found);
  Location where = isInside ? found->getLoc() : Location(CallSiteLoc::get(found->getLoc(), op->getLoc()));
  return emitError(where) << "'" << found->getName() << "' op is not allowed in the function of '" << op->getName()
                          << "', which has to compute results from its arguments and to do nothing else";
}

LogicalResult MapElementwiseOp::verifyRegions() {
  if (getSrcs().empty())
    return emitOpError("expects number of operands (0) to be at least 1");
  int64_t pack = static_cast<int32_t>(getPack());
  auto shape = cast<RankedTensorType>(getSrcs().front().getType()).getShape();
  if (pack < 1 || (shape.empty() ? 1 : shape.back()) % pack != 0)
    return emitOpError("expects pack (") << pack << ") to be positive and to divide the last dimension";
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(getOperandTypes()), SmallVector<Type>(getResultTypes())))
    if (cast<RankedTensorType>(type).getShape() != shape)
      return emitOpError("expects shape of every operand and result (")
             << type << ") to be that of the first operand (" << getSrcs().front().getType() << ")";

  auto scalars = [&](TypeRange blocks) {
    SmallVector<Type> types;
    for (Type block : blocks)
      types.append(pack, getElementTypeOrSelf(block));
    return types;
  };
  SmallVector<Type> arguments = scalars(getOperandTypes()), results = scalars(getResultTypes());
  if (TypeRange(getScalarOp().getArgumentTypes()) != TypeRange(arguments))
    return emitOpError("expects types of the region's arguments (")
           << getScalarOp().getArgumentTypes() << ") to be the operands' elements (" << TypeRange(arguments) << ")";
  for (Block &block : getScalarOp()) {
    auto end = dyn_cast<MapElementwiseReturnOp>(block.getTerminator());
    if (end && TypeRange(end.getOperandTypes()) != TypeRange(results))
      return end.emitOpError("expects types of operands (")
             << end.getOperandTypes() << ") to be the results' elements (" << TypeRange(results) << ")";
  }
  return verifyRegionWithoutEffects(*this);
}
