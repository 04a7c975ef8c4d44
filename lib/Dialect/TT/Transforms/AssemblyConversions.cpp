//===- AssemblyConversions.cpp - Conversions of PTX -------------*- C++ -*-===//
// `cvt` between integers and floats. Formats of 8 bits and less, and roundings by random bits, are in
// AssemblyMinifloats.cpp.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace blockdsl;

using Words = ArrayRef<StringRef>;
using Kind = LaneType::Kind;

static Value roundToWhole(ImplicitLocOpBuilder &b, Value x, StringRef rounding) {
  if (rounding.empty())
    return x;
  if (rounding == "rni")
    return math::RoundEvenOp::create(b, x);
  if (rounding == "rmi")
    return math::FloorOp::create(b, x);
  if (rounding == "rpi")
    return math::CeilOp::create(b, x);
  return rounding == "rzi" ? math::TruncOp::create(b, x).getResult() : Value();
}

static Value floatToFloat(ImplicitLocOpBuilder &b, Value x, LaneType to, LaneType from, StringRef rounding) {
  if (to.width > from.width && to.width > 16)
    return rounding.empty() ? arith::ExtFOp::create(b, to.element, x).getResult() : Value();
  if (to.element == from.element)
    return roundToWhole(b, x, rounding);
  auto mode = llvm::StringSwitch<std::optional<RoundingMode>>(rounding)
                  .Case("rn", RoundingMode::NearestEven)
                  .Case("rz", RoundingMode::TowardZero)
                  .Default(std::nullopt);
  if (!mode)
    return {};
  return FpToFpOp::create(b, to.element, x, RoundingModeAttr::get(b.getContext(), *mode));
}

/// Converts to an integer after rounding. Numbers out of range and NaN give the same results as casts in the language.
static Value floatToInteger(ImplicitLocOpBuilder &b, Value x, LaneType to, StringRef rounding) {
  x = rounding.empty() ? Value() : roundToWhole(b, x, rounding);
  if (!x)
    return {};
  Type type = b.getIntegerType(to.width);
  return to.isSigned() ? arith::FPToSIOp::create(b, type, x).getResult() : arith::FPToUIOp::create(b, type, x);
}

/// Clamps an integer to the range of `to`.
static Value limitInteger(ImplicitLocOpBuilder &b, Value x, LaneType to, LaneType from) {
  if (from.isSigned() && (!to.isSigned() || to.width < from.width))
    x = arith::MaxSIOp::create(b, x, makeBits(b, from.width, to.isSigned() ? llvm::minIntN(to.width) : 0));
  unsigned digits = to.width - to.isSigned();
  if (digits >= from.width - from.isSigned())
    return x;
  Value most = makeBits(b, from.width, llvm::maskTrailingOnes<uint64_t>(digits));
  return from.isSigned() ? arith::MinSIOp::create(b, x, most).getResult() : arith::MinUIOp::create(b, x, most);
}

namespace {
/// The modifiers of a `cvt`, besides its types.
struct ConversionWords {
  StringRef rounding;
  bool isFinite = false, isSaturated = false, isRectified = false;
};
} // namespace

static std::optional<ConversionWords> parseWords(Words words) {
  ConversionWords parsed;
  for (StringRef word : words) {
    if (word == "satfinite")
      parsed.isFinite = true;
    else if (word == "sat")
      parsed.isSaturated = true;
    else if (word == "relu")
      parsed.isRectified = true;
    else if (word != "ftz" && !parsed.rounding.empty())
      return std::nullopt;
    else if (word != "ftz")
      parsed.rounding = word;
  }
  return parsed;
}

/// Returns true if a conversion between these types accepts the modifiers.
static bool areAllowed(const ConversionWords &words, LaneType to, LaneType from) {
  bool isHalf = to.isFloat() && to.width == 16, isFromHalf = from.isFloat() && from.width == 16;
  bool isFromSingle = from.isFloat() && from.width == 32;
  // Conversions to formats of at most 8 bits always saturate at the largest number.
  bool isFinite = to.isSmall() || (words.isFinite && isFromSingle && (isHalf || to.kind == Kind::TF32)) ||
                  (words.isFinite && to.kind == Kind::Scale);
  if (words.isFinite != isFinite || (words.isSaturated && (isFinite || to.kind == Kind::Scale || words.isRectified)))
    return false;
  bool isNarrowing = isFromSingle && (to.isSmall() || isHalf || to.kind == Kind::TF32);
  bool isBetweenSmall = (isFromHalf && to.isSmall()) || (from.isSmall() && isHalf);
  return !words.isRectified || isNarrowing || isBetweenSmall;
}

Value blockdsl::convertLane(ImplicitLocOpBuilder &b, Value lane, LaneType to, LaneType from, Words words,
                            Value random) {
  std::optional<ConversionWords> parsed = parseWords(words);
  if (!parsed || !areAllowed(*parsed, to, from) || (parsed->rounding == "rs") != bool(random))
    return {};
  if (from.kind == Kind::Bits || to.kind == Kind::Bits || from.kind == Kind::TF32)
    return {};
  auto [rounding, isFinite, isSaturated, isRectified] = *parsed;
  if (from.kind == Kind::Minifloat || from.kind == Kind::Scale) {
    bool isDecoded = rounding == "rn" && to.isFloat() &&
                     (from.kind == Kind::Scale ? to.element.isBF16() && !isRectified : to.element.isF16());
    Value decoded = isDecoded ? decodeSmall(b, lane, from) : Value();
    return decoded && isRectified ? rectify(b, decoded) : decoded;
  }
  if (to.kind == Kind::Scale)
    return encodeScale(b, lane, from, rounding, isFinite);
  if (isRectified && from.isFloat() && from.width >= 16)
    lane = rectify(b, lane);
  if (to.kind == Kind::TF32)
    return from.isFloat() && from.width == 32 ? roundToTF32(b, lane, rounding, isFinite) : Value();
  if (random)
    return from.isFloat() && from.width == 32 ? encodeSmall(b, lane, to, isFinite, random) : Value();
  if (to.kind == Kind::Minifloat) {
    if (!from.isFloat() || from.width < 16 || from.width > 32 || rounding != "rn")
      return {};
    lane = from.width == 16 ? arith::ExtFOp::create(b, b.getF32Type(), lane).getResult() : lane;
    return encodeSmall(b, lane, to, isFinite, /*random=*/{});
  }
  if (!from.isFloat() && !to.isFloat())
    return rounding.empty()
               ? resizeBits(b, isSaturated ? limitInteger(b, lane, to, from) : lane, to.width, from.isSigned())
               : Value();
  if (from.isFloat() && !to.isFloat())
    return floatToInteger(b, lane, to, rounding);
  Value result;
  if (from.isFloat())
    result = floatToFloat(b, lane, to, from, rounding);
  else if (rounding == "rn")
    result = from.isSigned() ? arith::SIToFPOp::create(b, to.element, lane).getResult()
                             : arith::UIToFPOp::create(b, to.element, lane);
  if (result && isFinite && to.width == 16)
    result = limitToFinite(b, result);
  // A NaN of 8 bits is encoded without a sign.
  if (result && from.isFloat() && to.width == 8) {
    Value nan = arith::BitcastOp::create(b, to.element, makeBits(b, 8, 0x7F));
    Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, lane, lane);
    result = arith::SelectOp::create(b, isNumber, result, nan);
  }
  if (result && isRectified && from.width < 16)
    result = rectify(b, result);
  return isSaturated && result ? saturate(b, result) : result;
}
