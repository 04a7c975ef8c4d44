//===- AssemblyRounding.cpp - Directed rounding of PTX ----------*- C++ -*-===//
// Arithmetic of f32 that is rounded toward zero (`rz`), down (`rm`) or up (`rp`). f64 represents a product of f32
// exactly, and a sum with its rounding error. For a quotient or a root it tells on which side of the nearest f32 the
// result is.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace blockdsl;

using FPredicate = arith::CmpFPredicate;

StringRef blockdsl::findDirection(ArrayRef<StringRef> words) {
  const StringRef *found =
      llvm::find_if(words, [](StringRef word) { return word == "rz" || word == "rm" || word == "rp"; });
  return found == words.end() ? StringRef() : *found;
}

static Value isNegative(ImplicitLocOpBuilder &b, Value single) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), single);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits, makeBits(b, 32, 0));
}

/// Returns the next f32 above or below `x`.
static Value findNeighbor(ImplicitLocOpBuilder &b, Value x, bool isAbove) {
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Value isPositive = arith::CmpFOp::create(b, FPredicate::OGT, x, zero);
  Value step = arith::SelectOp::create(b, isPositive, makeBits(b, 32, isAbove ? 1 : ~uint64_t(0)),
                                       makeBits(b, 32, isAbove ? ~uint64_t(0) : 1));
  Value moved = arith::AddIOp::create(b, arith::BitcastOp::create(b, b.getI32Type(), x), step);
  Value isZero = arith::CmpFOp::create(b, FPredicate::OEQ, x, zero);
  Value bits = arith::SelectOp::create(b, isZero, makeBits(b, 32, isAbove ? 1 : 0x80000001), moved);
  return arith::BitcastOp::create(b, b.getF32Type(), bits);
}

namespace {
/// An f64, and the part of the exact result that is missing from it, which is less than an ulp; null if it is exact.
struct WideResult {
  Value number, missing;
};
} // namespace

static WideResult addExactly(ImplicitLocOpBuilder &b, Value x, Value y) {
  auto add = [&](Value x, Value y) -> Value { return arith::AddFOp::create(b, x, y); };
  auto subtract = [&](Value x, Value y) -> Value { return arith::SubFOp::create(b, x, y); };
  Value sum = add(x, y), rest = subtract(sum, x);
  return {sum, add(subtract(x, subtract(sum, rest)), subtract(y, rest))};
}

/// Rounds a number to f32 in a direction.
static Value roundToSingle(ImplicitLocOpBuilder &b, WideResult wide, StringRef direction) {
  Value nearest = arith::TruncFOp::create(b, b.getF32Type(), wide.number);
  Value back = arith::ExtFOp::create(b, b.getF64Type(), nearest);
  auto isOnSide = [&](FPredicate side, FPredicate sideOfMissing) -> Value {
    Value isBeside = arith::CmpFOp::create(b, side, wide.number, back);
    if (!wide.missing)
      return isBeside;
    Value zero = arith::ConstantOp::create(b, b.getF64FloatAttr(0));
    Value isEqual = arith::CmpFOp::create(b, FPredicate::OEQ, wide.number, back);
    Value isMissing = arith::CmpFOp::create(b, sideOfMissing, wide.missing, zero);
    return arith::OrIOp::create(b, isBeside, arith::AndIOp::create(b, isEqual, isMissing));
  };
  auto isBelow = [&] { return isOnSide(FPredicate::OLT, FPredicate::OLT); };
  auto isAbove = [&] { return isOnSide(FPredicate::OGT, FPredicate::OGT); };
  if (direction == "rm")
    return arith::SelectOp::create(b, isBelow(), findNeighbor(b, nearest, false), nearest);
  if (direction == "rp")
    return arith::SelectOp::create(b, isAbove(), findNeighbor(b, nearest, true), nearest);
  Value positive = arith::SelectOp::create(b, isBelow(), findNeighbor(b, nearest, false), nearest);
  Value negative = arith::SelectOp::create(b, isAbove(), findNeighbor(b, nearest, true), nearest);
  return arith::SelectOp::create(b, isNegative(b, nearest), negative, positive);
}

/// Emits a rounded sum. A sum of zero that is rounded down is negative, unless both addends are positive.
static Value addInDirection(ImplicitLocOpBuilder &b, Value x, Value y, StringRef direction) {
  WideResult sum = addExactly(b, x, y);
  Value rounded = roundToSingle(b, sum, direction);
  if (direction != "rm")
    return rounded;
  auto bitsOf = [&](Value number) { return arith::BitcastOp::create(b, b.getI64Type(), number).getResult(); };
  Value signs = arith::OrIOp::create(b, bitsOf(x), bitsOf(y));
  Value isSigned = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, signs, makeBits(b, 64, 0));
  auto constant = [&](float value) { return arith::ConstantOp::create(b, b.getF32FloatAttr(value)).getResult(); };
  Value zero = arith::SelectOp::create(b, isSigned, constant(-0.0f), constant(0.0f));
  Value isZero = arith::CmpFOp::create(b, FPredicate::OEQ, sum.number,
                                       arith::ConstantOp::create(b, b.getF64FloatAttr(0)).getResult());
  return arith::SelectOp::create(b, isZero, zero, rounded);
}

Value blockdsl::computeInDirection(ImplicitLocOpBuilder &b, StringRef name, LaneType type, ArrayRef<Value> x,
                                   ArrayRef<StringRef> words) {
  if (!type.isFloat() || type.width != 32 || llvm::is_contained(words, "rn") || llvm::is_contained(words, "approx") ||
      llvm::is_contained(words, "full") || llvm::is_contained(words, "relu"))
    return {};
  SmallVector<Value> wide;
  for (Value each : x)
    wide.push_back(arith::ExtFOp::create(b, b.getF64Type(), each));
  StringRef direction = findDirection(words);
  Value one = arith::ConstantOp::create(b, b.getF64FloatAttr(1));
  auto round = [&](Value number) { return roundToSingle(b, {number, {}}, direction); };
  Value result;
  if (name == "add")
    result = addInDirection(b, wide[0], wide[1], direction);
  else if (name == "sub")
    result = addInDirection(b, wide[0], arith::NegFOp::create(b, wide[1]), direction);
  else if (name == "fma")
    result = addInDirection(b, arith::MulFOp::create(b, wide[0], wide[1]), wide[2], direction);
  else if (name == "mul")
    result = round(arith::MulFOp::create(b, wide[0], wide[1]));
  else if (name == "div")
    result = round(arith::DivFOp::create(b, wide[0], wide[1]));
  else if (name == "rcp")
    result = round(arith::DivFOp::create(b, one, wide[0]));
  else if (name == "sqrt")
    result = round(math::SqrtOp::create(b, wide[0]));
  return result && llvm::is_contained(words, "sat") ? saturate(b, result) : result;
}
