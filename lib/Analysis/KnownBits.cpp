//===- KnownBits.cpp - Known bits and ranges of emitted integers ------------===//

#include "blockdsl/Analysis/KnownBits.h"

#include "blockdsl/Analysis/MemoryTypes.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace blockdsl {

//===-- Divisors ------------------------------------------------------------===//

int64_t knownDivisor(const APInt &number) {
  return number.isZero() ? kMostDivisor : int64_t(1) << std::min(number.countr_zero(), 30u);
}

static int64_t divisorOf(Value value, int depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return knownDivisor(constant);
  if (depth == 0)
    return 1;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        loop && argument == loop.getInductionVar())
      return std::min(divisorOf(loop.getLowerBound(), depth - 1), divisorOf(loop.getStep(), depth - 1));
    if (auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      if (auto known = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tt.divisibility"))
        return isa<IntegerType, PtrType>(argument.getType()) ? knownDivisor(known.getValue()) : 1;
    return 1;
  }
  return knownDivisor(value.getDefiningOp(), [&](Value operand) { return divisorOf(operand, depth - 1); });
}

int64_t knownDivisor(Operation *op, llvm::function_ref<int64_t(Value)> divisorOf) {
  APInt constant;
  auto operand = [&](unsigned i) { return divisorOf(op->getOperand(i)); };
  auto most = [](int64_t product) { return std::min(product, kMostDivisor); };
  if (isa<arith::MulIOp>(op))
    return most(operand(0) * operand(1));
  if (auto shift = dyn_cast<arith::ShLIOp>(op); shift && matchPattern(shift.getRhs(), m_ConstantInt(&constant)))
    return most(operand(0) << std::min<uint64_t>(constant.getLimitedValue(), 30));
  if (auto sub = dyn_cast<arith::SubIOp>(op))
    if (auto rest = sub.getRhs().getDefiningOp<arith::RemUIOp>(); rest && rest.getLhs() == sub.getLhs())
      return divisorOf(rest.getRhs());
  if (auto step = dyn_cast<AddPtrOp>(op))
    if (auto pointer = dyn_cast<PtrType>(step.getType()))
      return std::min(operand(0), most(operand(1) * getByteSize(pointer.getPointeeType())));
  if (isa<BitcastOp>(op) && isa<PtrType>(op->getResult(0).getType()))
    return operand(0);
  if (isa<arith::AddIOp, arith::SubIOp, arith::XOrIOp, arith::RemSIOp, arith::RemUIOp, arith::MinSIOp, arith::MaxSIOp>(
          op))
    return std::min(operand(0), operand(1));
  if (isa<arith::SelectOp>(op))
    return std::min(operand(1), operand(2));
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return operand(0);
  return 1;
}

int64_t knownDivisor(Value value, int depth) { return divisorOf(value, depth); }

int64_t knownAlignment(Value pointer) {
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    auto known = function ? function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                                   LLVM::LLVMDialect::getAlignAttrName())
                          : IntegerAttr();
    return known ? known.getInt() : 1;
  }
  auto step = pointer.getDefiningOp<LLVM::GEPOp>();
  if (!step || step.getDynamicIndices().size() != 1 || step.getIndices().size() != 1)
    return 1;
  int64_t size = getByteSize(step.getElemType());
  return std::min(knownAlignment(step.getBase()), knownDivisor(step.getDynamicIndices().front()) * size);
}

//===-- Ranges --------------------------------------------------------------===//

static ConstantIntRanges rangeOf(Value value, int depth) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  ConstantIntRanges all = ConstantIntRanges::maxRange(width);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return ConstantIntRanges::constant(constant.sextOrTrunc(width));
  if (depth == 0)
    return all;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return all;
    ConstantIntRanges lows = rangeOf(loop.getLowerBound(), depth - 1);
    ConstantIntRanges highs = rangeOf(loop.getUpperBound(), depth - 1);
    // The body runs only for values between the bounds.
    if (loop.getUnsignedCmp())
      return lows.umin().ult(highs.umax()) ? ConstantIntRanges::fromUnsigned(lows.umin(), highs.umax() - 1) : all;
    APInt low = lows.smin(), high = highs.smax();
    return low.slt(high) ? ConstantIntRanges::fromSigned(low, high - 1) : all;
  }
  Operation *op = value.getDefiningOp();
  if (isa<GetProgramIdOp, GetNumProgramsOp>(op))
    return ConstantIntRanges::fromSigned(APInt::getZero(width), APInt::getSignedMaxValue(width));
  auto inferable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferable || op->getNumResults() != 1)
    return all;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<IntegerType, IndexType>(operand.getType()))
      return all;
    operands.push_back(rangeOf(operand, depth - 1));
  }
  ConstantIntRanges result = all;
  inferable.inferResultRanges(operands, [&](Value, const ConstantIntRanges &range) { result = range; });
  return result;
}

ConstantIntRanges knownRange(Value value, int depth) { return rangeOf(value, depth); }

bool neverWraps(Value value, int64_t least, int64_t most, bool isSigned) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType()), wide = std::max(width, 64u) + 2;
  auto extend = [&](const APInt &number) { return isSigned ? number.sext(wide) : number.zext(wide); };
  APInt first = extend(isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width));
  APInt last = extend(isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width));
  APInt below(wide, least, /*isSigned=*/true), above(wide, most, /*isSigned=*/true);
  // `value` is a multiple of more than `most`, so the addition only fills zero bits and does not carry.
  if (least >= 0 && above.sle(last) && most < knownDivisor(value))
    return true;
  ConstantIntRanges range = knownRange(value);
  APInt low = extend(isSigned ? range.smin() : range.umin()) + below;
  APInt high = extend(isSigned ? range.smax() : range.umax()) + above;
  return low.sge(first) && high.sle(last);
}

} // namespace blockdsl
