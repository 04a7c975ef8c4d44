//===- AssemblyMinifloats.cpp - Small formats and random rounding ---------===//
// Conversions of f32 to formats of 4 to 16 bits, rounded to nearest or by random bits, scales of eight exponent bits,
// and tf32.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace blockdsl;

namespace {
/// Emits i32 and f32 arithmetic.
struct Words32 {
  ImplicitLocOpBuilder &b;

  Value bits(uint32_t value) { return makeBits(b, 32, value); }
  Value number(double value) { return arith::ConstantOp::create(b, b.getF32FloatAttr(value)); }
  Value bitsOf(Value number) { return arith::BitcastOp::create(b, b.getI32Type(), number); }
  Value numberOf(Value bits) { return arith::BitcastOp::create(b, b.getF32Type(), bits); }
  Value shiftRight(Value x, unsigned count) { return arith::ShRUIOp::create(b, x, bits(count)); }
  Value shiftLeft(Value x, unsigned count) { return arith::ShLIOp::create(b, x, bits(count)); }
  Value mask(Value x, uint32_t ones) { return arith::AndIOp::create(b, x, bits(ones)); }
  Value isNaN(Value size) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, size, bits(0x7F800000)); }
};

/// A format of a sign, an exponent and a mantissa.
struct Format {
  unsigned exponentBits, mantissaBits;
  int bias;
  /// The code of the largest number or infinity, and the code of NaN.
  uint32_t most, nan;
  /// The value of `most`; if that is infinity, the next power of two above the largest number.
  double limit;
};
} // namespace

static Format formatOf(LaneType type, bool isFinite) {
  if (type.kind == LaneType::Kind::Minifloat)
    return type.element.getWidth() == 4          ? Format{2, 1, 1, 7, 7, 6}
           : isa<Float6E2M3FNType>(type.element) ? Format{2, 3, 1, 31, 31, 7.5}
                                                 : Format{3, 2, 3, 31, 31, 28};
  if (isa<Float8E4M3FNType>(type.element))
    return {4, 3, 7, 0x7E, 0x7F, 448};
  if (isa<Float8E5M2Type>(type.element))
    return {5, 2, 15, 0x7B, 0x7F, 57344};
  return isFinite ? Format{5, 10, 15, 0x7BFF, 0x7FFF, 65504} : Format{5, 10, 15, 0x7C00, 0x7FFF, 65536};
}

/// Encodes a bf16, the upper half of an f32: random bits are added to the lower half.
static Value encodeBF16(Words32 w, Value x, bool isFinite, Value random) {
  ImplicitLocOpBuilder &b = w.b;
  Value bits = w.bitsOf(x), size = w.mask(bits, 0x7FFFFFFF);
  Value upper = w.shiftRight(arith::AddIOp::create(b, size, random), 16);
  upper = arith::MinUIOp::create(b, upper, w.bits(isFinite ? 0x7F7F : 0x7F80));
  upper = arith::OrIOp::create(b, upper, w.mask(w.shiftRight(bits, 16), 0x8000));
  return arith::SelectOp::create(b, w.isNaN(size), w.bits(0x7FFF), upper);
}

/// Divides a number by its unit in the last place in `format`, rounds the quotient, and adds the exponent: a quotient
/// that rounds up to the next power of two carries into the exponent. `random` is a fraction of 16 bits: the quotient
/// is rounded up if its own fraction plus `random` is at least one.
static Value encode(Words32 w, Value x, const Format &format, Value random) {
  ImplicitLocOpBuilder &b = w.b;
  Value bits = w.bitsOf(x), size = w.mask(bits, 0x7FFFFFFF);
  Value limited = arith::MinNumFOp::create(b, w.numberOf(size), w.number(format.limit));
  Value exponent = w.shiftRight(w.bitsOf(limited), 23);
  exponent = arith::MaxUIOp::create(b, exponent, w.bits(127 + 1 - format.bias));
  Value scale = w.shiftLeft(arith::SubIOp::create(b, w.bits(254 + format.mantissaBits), exponent), 23);
  Value count = arith::MulFOp::create(b, limited, w.numberOf(scale));
  Value rounded;
  if (random) {
    rounded = math::FloorOp::create(b, count);
    Value rest = arith::SubFOp::create(b, count, rounded);
    // Exact: 17 bits.
    Value missing = arith::UIToFPOp::create(b, b.getF32Type(), arith::SubIOp::create(b, w.bits(65536), random));
    Value bound = arith::MulFOp::create(b, missing, w.number(1.0 / 65536));
    Value isUp = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, rest, bound);
    rounded = arith::AddFOp::create(b, rounded, arith::SelectOp::create(b, isUp, w.number(1), w.number(0)));
  } else {
    rounded = math::RoundEvenOp::create(b, count);
  }
  Value code = w.shiftLeft(arith::SubIOp::create(b, exponent, w.bits(127 + 1 - format.bias)), format.mantissaBits);
  code = arith::AddIOp::create(b, code, arith::FPToUIOp::create(b, b.getI32Type(), rounded));
  code = arith::MinUIOp::create(b, code, w.bits(format.most));
  unsigned magnitudeBits = format.exponentBits + format.mantissaBits;
  code = arith::OrIOp::create(b, code, w.shiftLeft(w.shiftRight(bits, 31), magnitudeBits));
  return arith::SelectOp::create(b, w.isNaN(size), w.bits(format.nan), code);
}

Value blockdsl::encodeSmall(ImplicitLocOpBuilder &b, Value x, LaneType to, bool isFinite, Value random) {
  Words32 w{b};
  if (!to.isSmall() && !(to.isFloat() && to.width == 16))
    return {};
  bool isBF16 = to.isFloat() && to.element.isBF16();
  Value code = isBF16 ? encodeBF16(w, x, isFinite, random) : encode(w, x, formatOf(to, isFinite), random);
  code = resizeBits(b, code, to.width);
  return to.isFloat() ? arith::BitcastOp::create(b, to.element, code).getResult() : code;
}

/// Decodes a minifloat: its bits are those of an f16, except for the bias of the exponent. A scale becomes a bf16.
Value blockdsl::decodeSmall(ImplicitLocOpBuilder &b, Value code, LaneType from) {
  Value bits = resizeBits(b, code, 16);
  auto mask = [&](uint64_t ones) -> Value { return arith::AndIOp::create(b, bits, makeBits(b, 16, ones)); };
  auto shift = [&](Value x, uint64_t count) -> Value { return arith::ShLIOp::create(b, x, makeBits(b, 16, count)); };
  if (from.kind == LaneType::Kind::Scale) {
    // The least power of two is a denormal of bf16, and the last code is NaN.
    Value power = shift(bits, 7);
    auto is = [&](uint64_t value) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, makeBits(b, 16, value));
    };
    power = arith::SelectOp::create(b, is(0), makeBits(b, 16, 0x40), power);
    power = arith::SelectOp::create(b, is(255), makeBits(b, 16, 0x7FFF), power);
    return arith::BitcastOp::create(b, b.getBF16Type(), power);
  }
  Format format = formatOf(from, /*isFinite=*/true);
  unsigned magnitudeBits = format.exponentBits + format.mantissaBits;
  Value sign = shift(mask(uint64_t(1) << magnitudeBits), 15 - magnitudeBits);
  Value rest = shift(mask((uint64_t(1) << magnitudeBits) - 1), 10 - format.mantissaBits);
  Value half = arith::BitcastOp::create(b, b.getF16Type(), arith::OrIOp::create(b, sign, rest));
  Value scale = arith::ConstantOp::create(b, b.getF16FloatAttr(1 << (15 - format.bias)));
  return arith::MulFOp::create(b, half, scale);
}

/// Returns the exponent of |x|, rounded down, or up for `rp`.
Value blockdsl::encodeScale(ImplicitLocOpBuilder &b, Value x, LaneType from, StringRef rounding, bool isFinite) {
  bool isKnown = from.isFloat() && (from.width == 32 || from.element.isBF16());
  if (!isKnown || (rounding != "rz" && rounding != "rp"))
    return {};
  Words32 w{b};
  Value single = from.width == 32 ? x : arith::ExtFOp::create(b, b.getF32Type(), x).getResult();
  Value size = w.mask(w.bitsOf(single), 0x7FFFFFFF);
  Value code = w.shiftRight(size, 23);
  if (rounding == "rp") {
    // The least scale is 2^-127, a denormal: all smaller numbers round up to it.
    Value isBetween = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, w.mask(size, 0x7FFFFF), w.bits(0));
    Value isAbove = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, size, w.bits(0x400000));
    Value isUp = arith::AndIOp::create(b, isBetween, isAbove);
    code = arith::AddIOp::create(b, code, arith::ExtUIOp::create(b, b.getI32Type(), isUp));
  }
  code = arith::MinUIOp::create(b, code, w.bits(isFinite ? 254 : 255));
  code = arith::SelectOp::create(b, w.isNaN(size), w.bits(255), code);
  return resizeBits(b, code, 8);
}

/// Rounds to tf32, which has the upper 10 bits of an f32's mantissa. The other bits become zero.
Value blockdsl::roundToTF32(ImplicitLocOpBuilder &b, Value x, StringRef rounding, bool isFinite) {
  Words32 w{b};
  Value bits = w.bitsOf(x), size = w.mask(bits, 0x7FFFFFFF), moved = size;
  if (rounding == "rna")
    moved = arith::AddIOp::create(b, size, w.bits(0x1000));
  else if (rounding == "rn")
    moved = arith::AddIOp::create(b, arith::AddIOp::create(b, size, w.bits(0xFFF)), w.mask(w.shiftRight(size, 13), 1));
  else if (rounding != "rz")
    return {};
  Value kept = w.mask(moved, 0xFFFFE000);
  if (isFinite)
    kept = arith::MinUIOp::create(b, kept, w.bits(0x7F7FE000));
  kept = arith::OrIOp::create(b, kept, w.mask(bits, 0x80000000));
  return arith::SelectOp::create(b, w.isNaN(size), w.bits(0x7FFFFFFF), kept);
}

/// Clamps to finite numbers, because narrowing makes infinities of large numbers.
Value blockdsl::limitToFinite(ImplicitLocOpBuilder &b, Value number) {
  auto type = cast<FloatType>(number.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  auto constant = [&](bool isNegative) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, APFloat::getLargest(semantics, isNegative)));
  };
  Value isAbove = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, number, constant(false));
  number = arith::SelectOp::create(b, isAbove, constant(false), number);
  Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, number, constant(true));
  return arith::SelectOp::create(b, isBelow, constant(true), number);
}

static Value reverse16(Words32 w, Value x) {
  LaneType half{LaneType::Kind::Bits, 32, 1, {}};
  return w.shiftRight(reverseBits(w.b, half, {x}, {}), 16);
}

Value blockdsl::randomFraction(ImplicitLocOpBuilder &b, Value random, LaneType to, unsigned lane) {
  Words32 w{b};
  if (to.count == 2 && to.isFloat() && to.width == 16) {
    Value half = w.mask(lane == 0 ? random : w.shiftRight(random, 16), 0xFFFF);
    // f16 drops 13 bits of an f32's mantissa, and uses as many random bits.
    return to.element.isF16() ? w.shiftLeft(w.mask(half, 0x1FFF), 3) : half;
  }
  if (to.count != 4)
    return {};
  // Two lanes share 16 bits. The odd lane uses them in reverse order.
  bool isUpper = lane >= 2;
  Value shared;
  if (to.width == 8) {
    shared = w.mask(isUpper ? w.shiftRight(random, 16) : random, 0xFFFF);
  } else {
    Value low = w.mask(isUpper ? w.shiftRight(random, 8) : random, 0xFF);
    Value high = w.mask(w.shiftRight(random, isUpper ? 16 : 8), 0xFF00);
    shared = arith::OrIOp::create(b, high, low);
  }
  return lane % 2 == 1 ? reverse16(w, shared) : shared;
}
