//===- AssemblyInstructions.cpp - what instructions of PTX mean -*- C++ -*-===//
// A table of those that move, convert and compute lane by lane, with the words that each may be given.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace blockdsl;

using Words = ArrayRef<StringRef>;

template <typename Float> static Value unaryFloat(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return type.isFloat() ? Float::create(b, x[0]).getResult() : Value();
}

/// Rounded by itself where it says how; otherwise a product and a sum may become one.
template <typename Float, typename Integer>
static Value binary(ImplicitLocOpBuilder &b, StringRef symbol, LaneType type, ArrayRef<Value> x, Words words) {
  if (!type.isFloat())
    return type.kind == LaneType::Kind::Bits ? Value() : Integer::create(b, x[0], x[1]).getResult();
  if (!llvm::is_contained(words, "rn"))
    return Float::create(b, x[0], x[1]);
  return ExternElementwiseOp::create(b, x[0].getType(), x, /*libname=*/"", /*libpath=*/"", symbol, /*pure=*/true);
}

static Value add(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  return binary<arith::AddFOp, arith::AddIOp>(b, type.width == 64 ? "__nv_dadd_rn" : "__nv_fadd_rn", type, x, words);
}

static Value subtract(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  return binary<arith::SubFOp, arith::SubIOp>(b, type.width == 64 ? "__nv_dsub_rn" : "__nv_fsub_rn", type, x, words);
}

/// Integers have to say which half of the product is meant.
static Value multiply(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat() == llvm::is_contained(words, "lo"))
    return {};
  return binary<arith::MulFOp, arith::MulIOp>(b, type.width == 64 ? "__nv_dmul_rn" : "__nv_fmul_rn", type, x, words);
}

static Value multiplyAdd(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat())
    return llvm::is_contained(words, "rn") ? math::FmaOp::create(b, x[0], x[1], x[2]).getResult() : Value();
  Value product = multiply(b, type, x, words);
  return product ? arith::AddIOp::create(b, product, x[2]).getResult() : Value();
}

static Value divide(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (!type.isFloat())
    return {};
  if (llvm::is_contained(words, "rn"))
    return PreciseDivFOp::create(b, x[0].getType(), x[0], x[1]);
  return arith::DivFOp::create(b, x[0], x[1]);
}

static Value reciprocal(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (!type.isFloat())
    return {};
  Value one = arith::ConstantOp::create(b, b.getFloatAttr(type.element, 1));
  return divide(b, type, {one, x[0]}, words);
}

static Value squareRoot(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat() && llvm::is_contained(words, "rn"))
    return PreciseSqrtOp::create(b, x[0].getType(), x[0]);
  return unaryFloat<math::SqrtOp>(b, type, x, words);
}

template <typename NotNaN, typename NaN, typename Signed, typename Unsigned>
static Value extremum(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat())
    return llvm::is_contained(words, "NaN") ? NaN::create(b, x[0], x[1]).getResult()
                                            : NotNaN::create(b, x[0], x[1]).getResult();
  return type.isSigned() ? Signed::create(b, x[0], x[1]).getResult() : Unsigned::create(b, x[0], x[1]).getResult();
}

static Value negate(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.isFloat())
    return arith::NegFOp::create(b, x[0]);
  return arith::SubIOp::create(b, makeBits(b, type.width, 0), x[0]);
}

static Value absolute(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.isFloat())
    return math::AbsFOp::create(b, x[0]);
  return math::AbsIOp::create(b, x[0]);
}

template <typename Op> static Value bitwise(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return type.kind == LaneType::Kind::Bits ? Op::create(b, x[0], x[1]).getResult() : Value();
}

static Value invert(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  return bitwise<arith::XOrIOp>(b, type, {x[0], makeBits(b, type.width, ~uint64_t(0))}, words);
}

/// Amounts of the width and more push everything out, as in the language.
static Value shift(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, bool isLeft) {
  if (type.isFloat())
    return {};
  Value amount = arith::MinUIOp::create(b, x[1], makeBits(b, 32, type.width));
  amount = resizeBits(b, amount, type.width);
  if (isLeft)
    return arith::ShLIOp::create(b, x[0], amount);
  return type.isSigned() ? arith::ShRSIOp::create(b, x[0], amount).getResult()
                         : arith::ShRUIOp::create(b, x[0], amount);
}

static Value shiftLeft(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return shift(b, type, x, /*isLeft=*/true);
}

static Value shiftRight(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return shift(b, type, x, /*isLeft=*/false);
}

/// Four bytes chosen out of the eight of two registers; the selector's fourth bit asks for the byte's sign.
static Value permute(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.bits() != 32 || type.isFloat())
    return {};
  LaneType pair{LaneType::Kind::Bits, 32, 2, {}}, bytes{LaneType::Kind::Bits, 8, 4, {}};
  Value both = bitsOf(b, {x[0], x[1]}, pair, 64);
  SmallVector<Value> chosen;
  for (unsigned i = 0; i < 4; ++i) {
    Value selector = arith::ShRUIOp::create(b, x[2], makeBits(b, 32, 4 * i));
    Value place = arith::AndIOp::create(b, selector, makeBits(b, 32, 7));
    Value distance = arith::ShLIOp::create(b, resizeBits(b, place, 64), makeBits(b, 64, 3));
    Value byte = resizeBits(b, arith::ShRUIOp::create(b, both, distance), 8);
    Value sign = arith::ShRSIOp::create(b, byte, makeBits(b, 8, 7));
    Value wanted = arith::AndIOp::create(b, selector, makeBits(b, 32, 8));
    Value isSign = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, wanted, makeBits(b, 32, 0));
    chosen.push_back(arith::SelectOp::create(b, isSign, sign, byte));
  }
  return bitsOf(b, chosen, bytes, 32);
}

/// Any function of three bits: the last source is its table.
static Value lookUp(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  APInt table;
  if (type.kind != LaneType::Kind::Bits || type.width != 32 || !matchPattern(x[3], m_ConstantInt(&table)))
    return {};
  Value result = makeBits(b, 32, 0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!table[row])
      continue;
    Value term = makeBits(b, 32, ~uint64_t(0));
    for (unsigned i = 0; i < 3; ++i) {
      bool isSet = row >> (2 - i) & 1;
      term = arith::AndIOp::create(b, term, isSet ? x[i] : invert(b, type, x[i], words));
    }
    result = arith::OrIOp::create(b, result, term);
  }
  return result;
}

const LaneInstruction *blockdsl::findLaneInstruction(StringRef name) {
  static const llvm::StringMap<LaneInstruction> table{
      {"abs", {1, "ftz", absolute}},
      {"add", {2, "rn ftz", add}},
      {"and", {2, "", bitwise<arith::AndIOp>}},
      {"cos", {1, "approx ftz", unaryFloat<math::CosOp>}},
      {"div", {2, "rn approx full ftz", divide}},
      {"ex2", {1, "approx ftz", unaryFloat<math::Exp2Op>}},
      {"fma", {3, "rn ftz", multiplyAdd}},
      {"lg2", {1, "approx ftz", unaryFloat<math::Log2Op>}},
      {"lop3", {4, "", lookUp}},
      {"mad", {3, "lo", multiplyAdd}},
      {"max", {2, "ftz NaN", extremum<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>}},
      {"min", {2, "ftz NaN", extremum<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>}},
      {"mul", {2, "lo rn ftz", multiply}},
      {"neg", {1, "ftz", negate}},
      {"not", {1, "", invert}},
      {"or", {2, "", bitwise<arith::OrIOp>}},
      {"prmt", {3, "", permute}},
      {"rcp", {1, "rn approx ftz", reciprocal}},
      {"rsqrt", {1, "approx ftz", unaryFloat<math::RsqrtOp>}},
      {"shl", {2, "", shiftLeft}},
      {"shr", {2, "", shiftRight}},
      {"sin", {1, "approx ftz", unaryFloat<math::SinOp>}},
      {"sqrt", {1, "rn approx ftz", squareRoot}},
      {"sub", {2, "rn ftz", subtract}},
      {"tanh", {1, "approx", unaryFloat<math::TanhOp>}},
      {"xor", {2, "", bitwise<arith::XOrIOp>}},
  };
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

static Value number(ImplicitLocOpBuilder &b, double value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

/// An f32 as a sign, two bits of exponent and one of mantissa: 0, 0.5, 1, 1.5, 2, 3, 4 and 6. From 2 and from 4 on the
/// steps are twice as large; the code's last bit is the mantissa's, so ties go to even everywhere. NaN becomes 6.
static Value encodeE2M1(ImplicitLocOpBuilder &b, Value x) {
  Value size = arith::MinNumFOp::create(b, math::AbsFOp::create(b, x), number(b, 6));
  auto codes = [&](double scale, double first) -> Value {
    Value steps = math::RoundEvenOp::create(b, arith::MulFOp::create(b, size, number(b, scale)));
    return arith::AddFOp::create(b, steps, number(b, first));
  };
  auto isBelow = [&](double bound) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, size, number(b, bound));
  };
  Value upper = arith::SelectOp::create(b, isBelow(4), codes(1, 2), codes(0.5, 4));
  Value code = arith::SelectOp::create(b, isBelow(2), codes(2, 0), upper);
  Value sign = arith::ShRUIOp::create(b, arith::BitcastOp::create(b, b.getI32Type(), x), makeBits(b, 32, 31));
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x, x);
  sign = arith::AndIOp::create(b, sign, arith::ExtUIOp::create(b, b.getI32Type(), isNumber));
  Value bits = arith::FPToUIOp::create(b, b.getI32Type(), code);
  bits = arith::OrIOp::create(b, bits, arith::ShLIOp::create(b, sign, makeBits(b, 32, 3)));
  return resizeBits(b, bits, 4);
}

/// In an f16 these bits are what they stand for, but for the exponent's bias, which is 15 there and 1 here.
static Value decodeE2M1(ImplicitLocOpBuilder &b, Value code) {
  Value bits = resizeBits(b, code, 16);
  Value sign = arith::ShLIOp::create(b, arith::AndIOp::create(b, bits, makeBits(b, 16, 8)), makeBits(b, 16, 12));
  Value rest = arith::ShLIOp::create(b, arith::AndIOp::create(b, bits, makeBits(b, 16, 7)), makeBits(b, 16, 9));
  Value half = arith::BitcastOp::create(b, b.getF16Type(), arith::OrIOp::create(b, sign, rest));
  Value scale = arith::ConstantOp::create(b, b.getF16FloatAttr(1 << 14));
  return arith::MulFOp::create(b, half, scale);
}

static Value floatToFloat(ImplicitLocOpBuilder &b, Value x, LaneType to, LaneType from, StringRef rounding) {
  if (to.width > from.width && to.width > 16)
    return rounding.empty() ? arith::ExtFOp::create(b, to.element, x).getResult() : Value();
  if (to.element == from.element)
    return {};
  auto mode = llvm::StringSwitch<std::optional<RoundingMode>>(rounding)
                  .Case("rn", RoundingMode::NearestEven)
                  .Case("rz", RoundingMode::TowardZero)
                  .Default(std::nullopt);
  if (!mode)
    return {};
  return FpToFpOp::create(b, to.element, x, RoundingModeAttr::get(b.getContext(), *mode));
}

/// Whole numbers beyond the result's, and NaN, become what the language says.
static Value floatToInteger(ImplicitLocOpBuilder &b, Value x, LaneType to, StringRef rounding) {
  if (rounding == "rni")
    x = math::RoundEvenOp::create(b, x);
  else if (rounding == "rmi")
    x = math::FloorOp::create(b, x);
  else if (rounding == "rpi")
    x = math::CeilOp::create(b, x);
  else if (rounding != "rzi")
    return {};
  Type type = b.getIntegerType(to.width);
  return to.isSigned() ? arith::FPToSIOp::create(b, type, x).getResult() : arith::FPToUIOp::create(b, type, x);
}

Value blockdsl::convertLane(ImplicitLocOpBuilder &b, Value lane, LaneType to, LaneType from, Words words) {
  using Kind = LaneType::Kind;
  StringRef rounding;
  bool isSaturated = false;
  for (StringRef word : words) {
    if (word == "satfinite")
      isSaturated = true;
    else if (word != "ftz" && !rounding.empty())
      return {};
    else if (word != "ftz")
      rounding = word;
  }
  // 8-bit floats are cut off at the largest in any case.
  bool isSmall = to.kind == Kind::E2M1 || (to.isFloat() && to.width == 8);
  if (isSaturated != isSmall)
    return {};
  if (to.kind == Kind::E2M1)
    return from.isFloat() && from.width == 32 && rounding == "rn" ? encodeE2M1(b, lane) : Value();
  if (from.kind == Kind::E2M1)
    return to.isFloat() && to.element.isF16() && rounding == "rn" ? decodeE2M1(b, lane) : Value();
  if (from.kind == Kind::Bits || to.kind == Kind::Bits)
    return {};
  if (from.isFloat())
    return to.isFloat() ? floatToFloat(b, lane, to, from, rounding) : floatToInteger(b, lane, to, rounding);
  if (!to.isFloat())
    return rounding.empty() ? resizeBits(b, lane, to.width, from.isSigned()) : Value();
  if (rounding != "rn")
    return {};
  return from.isSigned() ? arith::SIToFPOp::create(b, to.element, lane).getResult()
                         : arith::UIToFPOp::create(b, to.element, lane);
}
