//===- LaneEmitter.cpp - Levels, lane forms, arithmetic -------------------===//
//
// Memory accesses are in VectorMemory.cpp.
//
//===----------------------------------------------------------------------===//

#include "LaneEmitter.h"

#include "blockdsl/Analysis/KnownBits.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

//===-- Levels --------------------------------------------------------------===//

void LaneEmitter::enter(Block *block) {
  Operation *parent = block->getParentOp();
  if (levels.empty())
    baseAnchor = parent;
  else
    levels.back().anchor = parent;
  levels.push_back({block});
}

void LaneEmitter::leave() {
  levels.pop_back();
  if (levels.empty()) {
    builder.setInsertionPointAfter(baseAnchor);
    base = builder.saveInsertionPoint();
    baseAnchor = nullptr;
  } else {
    levels.back().anchor = nullptr;
  }
}

void LaneEmitter::forget(Operation *op) {
  if (!levels.empty())
    return;
  builder.setInsertionPointAfter(op);
  base = builder.saveInsertionPoint();
}

OpBuilder &LaneEmitter::at(unsigned level) {
  if (level == 0) {
    if (baseAnchor)
      builder.setInsertionPoint(baseAnchor);
    else
      builder.restoreInsertionPoint(base);
    return builder;
  }
  Level &target = levels[level - 1];
  if (target.anchor)
    builder.setInsertionPoint(target.anchor);
  else if (!target.block->empty() && target.block->back().hasTrait<mlir::OpTrait::IsTerminator>())
    builder.setInsertionPoint(&target.block->back());
  else
    builder.setInsertionPointToEnd(target.block);
  return builder;
}

//===-- Types ---------------------------------------------------------------===//

Type LaneEmitter::registerType(Type type) {
  if (isa<PtrType>(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  return type;
}

Type LaneEmitter::vectorOf(Type element) const { return VectorType::get({lanes}, element); }

//===-- Lane forms ----------------------------------------------------------===//

LaneValue LaneEmitter::constantIndex(int64_t value) {
  return uniform(arith::ConstantIndexOp::create(at(0), loc, value));
}

LaneValue LaneEmitter::wrap(Value value, unsigned level) const {
  auto kind = isa<VectorType>(value.getType()) ? LaneValue::Kind::Vector : LaneValue::Kind::Uniform;
  return {kind, value, 0, level};
}

LaneValue LaneEmitter::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return uniform(LLVM::ZeroOp::create(at(0), loc, type));
  return uniform(arith::ConstantOp::create(at(0), loc, at(0).getZeroAttr(type)));
}

/// Returns the constant `[0, stride, 2 * stride, ...]` with its lanes exchanged.
static Value createSteps(OpBuilder &b, Location loc, int64_t lanes, Type element, int64_t stride,
                         int64_t exchange = 0) {
  unsigned width = isa<IndexType>(element) ? IndexType::kInternalStorageBitWidth : element.getIntOrFloatBitWidth();
  SmallVector<APInt> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back((APInt(64, lane ^ exchange) * APInt(64, stride, /*isSigned=*/true)).sextOrTrunc(width));
  auto type = VectorType::get({lanes}, element);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, steps));
}

Value LaneEmitter::vector(const LaneValue &value) {
  if (value.isVector())
    return value.value;
  OpBuilder &b = at(value.level);
  Type element = value.value.getType();
  if (value.isStrided() && isa<LLVM::LLVMPointerType>(element)) {
    Value steps = createSteps(b, loc, lanes, b.getI64Type(), value.stride, value.exchange);
    return LLVM::GEPOp::create(b, loc, vectorOf(element), b.getI8Type(), value.value, ArrayRef<LLVM::GEPArg>{steps});
  }
  if (isa<LLVM::LLVMPointerType>(element)) {
    // vector.broadcast does not take pointers; a GEP by a zero vector is a splat.
    Value zeros = createSteps(b, loc, lanes, b.getI64Type(), 0);
    return LLVM::GEPOp::create(b, loc, vectorOf(element), b.getI8Type(), value.value, ArrayRef<LLVM::GEPArg>{zeros});
  }
  Value splat = vector::BroadcastOp::create(b, loc, cast<VectorType>(vectorOf(element)), value.value);
  if (value.isUniform())
    return splat;
  return arith::AddIOp::create(b, loc, splat, createSteps(b, loc, lanes, element, value.stride, value.exchange));
}

//===-- Arithmetic ----------------------------------------------------------===//

static LaneValue strided(Value value, int64_t stride, unsigned level, int64_t exchange) {
  auto kind = stride == 0 ? LaneValue::Kind::Uniform : LaneValue::Kind::Strided;
  return {kind, value, stride, level, stride == 0 ? 0 : exchange};
}

/// Returns the exchange of lanes that a sum of two values has; nullopt if they differ or one value is a vector.
static std::optional<int64_t> commonExchange(const LaneValue &lhs, const LaneValue &rhs) {
  if (lhs.isVector() || rhs.isVector() || (lhs.isStrided() && rhs.isStrided() && lhs.exchange != rhs.exchange))
    return std::nullopt;
  return lhs.isStrided() ? lhs.exchange : rhs.exchange;
}

LaneValue LaneEmitter::add(LaneValue lhs, LaneValue rhs) {
  unsigned level = std::max(lhs.level, rhs.level);
  std::optional<int64_t> exchange = commonExchange(lhs, rhs);
  if (!exchange) {
    Value left = vector(lhs), right = vector(rhs);
    return wrap(arith::AddIOp::create(at(level), loc, left, right), level);
  }
  Value sum = arith::AddIOp::create(at(level), loc, lhs.value, rhs.value);
  return strided(sum, lhs.stride + rhs.stride, level, *exchange);
}

LaneValue LaneEmitter::extend(LaneValue value, Type element) {
  Type from = getElementTypeOrSelf(value.value.getType());
  if (from == registerType(element))
    return value;
  if (value.isStrided())
    value = wrap(vector(value), value.level);
  OpBuilder &b = at(value.level);
  Type to = value.isVector() ? vectorOf(element) : element;
  Value wide;
  if (isa<IntegerType>(element))
    wide = arith::ExtSIOp::create(b, loc, to, value.value);
  else if (from.getIntOrFloatBitWidth() == 8)
    wide = FpToFpOp::create(b, loc, to, value.value, RoundingModeAttr());
  else
    wide = arith::ExtFOp::create(b, loc, to, value.value);
  return wrap(wide, value.level);
}

LaneValue LaneEmitter::scale(LaneValue value, int64_t factor) {
  if (factor == 1)
    return value;
  OpBuilder &b = at(value.level);
  Type type = value.value.getType();
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute = b.getIntegerAttr(element, factor);
  if (auto vectorType = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vectorType, Attribute(attribute));
  Value by = arith::ConstantOp::create(b, loc, attribute);
  Value product = arith::MulIOp::create(b, loc, value.value, by);
  return {value.kind, product, value.stride * factor, value.level, value.exchange};
}

LaneValue LaneEmitter::offsetPointer(LaneValue pointer, LaneValue offset, Type element) {
  unsigned level = std::max(pointer.level, offset.level);
  Type memory = getMemoryType(element);
  Value index = offset.value;
  Value from = pointer.value;
  Type result = from.getType();
  std::optional<int64_t> exchange = commonExchange(pointer, offset);
  bool vectorResult = !exchange;
  // Unsigned, because addresses wrap too.
  auto stride = static_cast<int64_t>(static_cast<uint64_t>(pointer.stride) +
                                     static_cast<uint64_t>(offset.stride) * getByteSize(element));
  if (vectorResult) {
    // A GEP takes uniform operands as scalars; strided operands become vectors.
    if (pointer.isStrided())
      from = vector(pointer);
    if (offset.isStrided())
      index = vector(offset);
    result = vectorOf(LLVM::LLVMPointerType::get(element.getContext()));
    stride = 0;
  }
  OpBuilder &b = at(level);
  if (isa<IndexType>(getElementTypeOrSelf(index.getType()))) {
    Type i64 = b.getI64Type();
    Type to = isa<VectorType>(index.getType()) ? vectorOf(i64) : i64;
    index = arith::IndexCastOp::create(b, loc, to, index);
  }
  Value moved = LLVM::GEPOp::create(b, loc, result, memory, from, ArrayRef<LLVM::GEPArg>{index});
  if (vectorResult)
    return wrap(moved, level);
  return strided(moved, stride, level, *exchange);
}

/// Returns the constant value of a uniform lane value, if it is known.
static std::optional<int64_t> constantOf(const LaneValue &value) {
  APInt constant;
  if (value.isUniform() && matchPattern(value.value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

bool LaneEmitter::staysInOneMultiple(const LaneValue &value, const LaneValue &divisor) const {
  auto by = constantOf(divisor);
  if (value.stride != 1 || !by || *by <= 0)
    return false;
  int64_t common = std::min(knownDivisor(value.value), *by & -*by);
  return common % lanes == 0;
}

/// Inverts bits of consecutive numbers that start at a multiple of the number of lanes: high bits are inverted in the
/// base, low bits exchange lanes. The numbers have more bits than the lane number, so that none of them wraps.
std::optional<LaneValue> LaneEmitter::invertBits(const LaneValue &value, int64_t bits) {
  Type type = value.value.getType();
  if (value.stride != 1 || knownDivisor(value.value) % lanes != 0 ||
      (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= llvm::Log2_64(lanes)))
    return std::nullopt;
  int64_t within = bits & (lanes - 1), high = bits - within;
  OpBuilder &b = at(value.level);
  Value first = value.value;
  if (high != 0)
    first = arith::XOrIOp::create(b, loc, first, arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, high)));
  return strided(first, 1, value.level, value.exchange ^ within);
}

/// Emits integer arithmetic on the base of strided operands, so that addresses stay contiguous. This is exact modulo
/// the width of the type. Before extensions and divisions the caller has made sure that no lane wraps.
std::optional<LaneValue> LaneEmitter::foldStrided(Operation *op, ArrayRef<LaneValue> operands) {
  int64_t exchange = operands[0].exchange;
  auto scalarOf = [&](int64_t stride) -> LaneValue {
    unsigned level = 0;
    IRMapping mapping;
    for (auto [operand, lane] : llvm::zip(op->getOperands(), operands)) {
      mapping.map(operand, lane.value);
      level = std::max(level, lane.level);
    }
    Value result = at(level).clone(*op, mapping)->getResult(0);
    return strided(result, stride, level, exchange);
  };
  const LaneValue &lhs = operands[0];
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    if (isa<IntegerType>(op->getResult(0).getType()) && op->getResult(0).getType().isInteger(1))
      return std::nullopt;
    return scalarOf(lhs.stride);
  }
  if (operands.size() != 2)
    return std::nullopt;
  const LaneValue &rhs = operands[1];
  std::optional<int64_t> common = commonExchange(lhs, rhs);
  if (!common)
    return std::nullopt;
  exchange = *common;
  int64_t stride;
  auto scaled = [&](const LaneValue &value, int64_t factor) -> std::optional<LaneValue> {
    if (llvm::MulOverflow(value.stride, factor, stride))
      return std::nullopt;
    return scalarOf(stride);
  };
  if (isa<arith::AddIOp>(op) && !llvm::AddOverflow(lhs.stride, rhs.stride, stride))
    return scalarOf(stride);
  if (isa<arith::SubIOp>(op) && !llvm::SubOverflow(lhs.stride, rhs.stride, stride))
    return scalarOf(stride);
  if (isa<arith::MulIOp>(op)) {
    if (auto factor = constantOf(rhs))
      return scaled(lhs, *factor);
    if (auto factor = constantOf(lhs))
      return scaled(rhs, *factor);
  }
  if (isa<arith::ShLIOp>(op))
    if (auto shift = constantOf(rhs); shift && *shift >= 0 && *shift < 62)
      return scaled(lhs, int64_t(1) << *shift);
  if (isa<arith::XOrIOp>(op))
    if (auto bits = constantOf(rhs))
      return invertBits(lhs, *bits);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && staysInOneMultiple(lhs, rhs)) {
    ConstantIntRanges range = knownRange(lhs.value);
    // If the base is less than the divisor, all lanes are.
    bool isLess = !range.smin().isNegative() && range.smax().slt(*constantOf(rhs));
    return isLess ? lhs : scalarOf(1);
  }
  if (isa<arith::DivSIOp, arith::DivUIOp>(op) && staysInOneMultiple(lhs, rhs))
    return scalarOf(0);
  return std::nullopt;
}

FailureOr<LaneValue> LaneEmitter::apply(Operation *op, ArrayRef<LaneValue> operands) {
  unsigned level = 0;
  bool uniformResult = true, anyStrided = false;
  for (const LaneValue &operand : operands) {
    level = std::max(level, operand.level);
    uniformResult &= operand.isUniform();
    anyStrided |= operand.isStrided();
  }
  if (auto addptr = dyn_cast<AddPtrOp>(op))
    return offsetPointer(operands[0], operands[1], cast<PtrType>(addptr.getPtr().getType()).getPointeeType());
  if (auto cast = dyn_cast<BitcastOp>(op); cast && isa<PtrType>(cast.getType()))
    return operands[0];
  if (anyStrided)
    if (auto folded = foldStrided(op, operands))
      return *folded;

  SmallVector<Value> values;
  // A select between vectors may have a scalar condition; other ops need vector operands.
  bool scalarCondition = isa<arith::SelectOp>(op) && operands[0].isUniform();
  for (auto [index, operand] : llvm::enumerate(operands))
    values.push_back(uniformResult || (scalarCondition && index == 0) ? operand.value : vector(operand));
  OpBuilder &b = at(level);
  Type scalarType = registerType(op->getResult(0).getType());
  Type type = uniformResult ? scalarType : vectorOf(scalarType);
  if (isa<IntToPtrOp>(op))
    return wrap(LLVM::IntToPtrOp::create(b, loc, type, values[0]), level);
  if (isa<PtrToIntOp>(op))
    return wrap(LLVM::PtrToIntOp::create(b, loc, type, values[0]), level);
  if (isa<BitcastOp>(op))
    return wrap(arith::BitcastOp::create(b, loc, type, values[0]), level);
  if (auto poison = dyn_cast<ub::PoisonOp>(op))
    return wrap(ub::PoisonOp::create(b, loc, type, poison.getValue()), level);
  if (op->getNumRegions() != 0 || op->getNumResults() != 1)
    return failure();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return wrap(b.clone(*op)->getResult(0), level);
  OperationState state(op->getLoc(), op->getName(), values, type, op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return wrap(b.create(state)->getResult(0), level);
}

} // namespace blockdsl
